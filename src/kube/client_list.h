// Lists of objects, read from the API server in pages.
#pragma once

#include "kube/client.h"

struct kube_selection { // the objects of a list
    enum kind_id kind;
    const char *namespace;                       // NULL: all
    const char *label_selector, *field_selector; // NULL: all
};
// Requests every page. The callback gets the whole list as body {"items": [...]}, with the
// metadata.resourceVersion of the first page.
void kube_list(struct kube_client *client, const struct kube_selection *selection,
               kube_callback callback, void *context);
// The same list page by page, for lists too long to hold as JSON; then the callback, without body.
void kube_list_pages(struct kube_client *client, const struct kube_selection *selection,
                     kube_page_callback page, kube_callback callback, void *context);
// Objects of kinds without a table in adze (ConfigMaps), by the path of the collection or object.
// Their answers have a body, but no object.
void kube_list_path(struct kube_client *client, const char *path, const char *label_selector,
                    kube_callback callback, void *context);
