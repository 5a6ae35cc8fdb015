#pragma once

#include "kube/client.h"

// One page or all pages (limit > 0: page size; every page is asked for; callback gets the whole
// list as body {"items": [...]}, and metadata.resourceVersion of the first page).
void kube_list(struct kube_client *client, enum kind_id kind, const char *namespace,
               const char *label_selector, const char *field_selector, kube_callback callback,
               void *context);
void kube_list_pages(struct kube_client *client, enum kind_id kind, const char *namespace,
                     const char *label_selector, const char *field_selector,
                     kube_page_callback page, kube_callback callback, void *context);
// Objects of kinds that adze has no table of (ConfigMaps), by the path of the collection or object;
// their answers have a body, but no object.
void kube_list_path(struct kube_client *client, const char *path, const char *label_selector,
                    kube_callback callback, void *context);
struct operation;
struct listing;
// For client.c: a page has come: takes it in and asks for the next, or ends the list.
void listing_continue(struct operation *operation, const struct kube_response *response);
void listing_free(struct listing *listing); // NULL is fine
