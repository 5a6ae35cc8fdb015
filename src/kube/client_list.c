#include "kube/client_list.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "kube/client_call.h"
#include "kube/path.h"
#include "model/tables/kinds.h"

#define PAGE_LIMIT   "500"
#define RESTARTS_MAX 3 // after these the list is requested in one piece, which cannot expire

static void list_start(struct client_call *call, const char *label_selector,
                       const char *field_selector, kube_page_callback page);
static void list_ask(struct client_call *call);
static void list_restart(struct client_call *call);
static void list_continue(struct client_call *call, const struct kube_response *response);
static bool list_take_page(struct client_call *call, const json_t *page);
static void list_finish(struct client_call *call, const struct kube_response *response);
static const char *list_metadata(const json_t *page, const char *name);

void kube_list(struct kube_client *client, const struct kube_selection *selection,
               kube_callback callback, void *context)
{
    kube_list_pages(client, selection, NULL, callback, context);
}

void kube_list_pages(struct kube_client *client, const struct kube_selection *selection,
                     kube_page_callback page, kube_callback callback, void *context)
{
    char path[KUBE_PATH_MAX];
    kube_path(selection->kind, selection->namespace, NULL, NULL, path, sizeof path);
    list_start(client_call_create(client, KUBE_LIST, selection->kind, path, callback, context),
               selection->label_selector, selection->field_selector, page);
}

void kube_list_path(struct kube_client *client, const char *path, const char *label_selector,
                    kube_callback callback, void *context)
{
    list_start(client_call_create(client, KUBE_LIST, KIND_COUNT, path, callback, context),
               label_selector, NULL, NULL);
}

static void list_start(struct client_call *call, const char *label_selector,
                       const char *field_selector, kube_page_callback page)
{
    assert(call->listing == NULL);
    struct listing *listing = memory_allocate(sizeof *listing);
    listing->label_selector = memory_copy_string(label_selector);
    listing->field_selector = memory_copy_string(field_selector);
    listing->page = page;
    if (page == NULL)
        listing->items = json_array();
    call->listing = listing;
    call->continue_list = list_continue;
    list_ask(call);
}

static void list_ask(struct client_call *call)
{
    struct listing *listing = call->listing;
    struct text query = {0};
    query_add(&query, "labelSelector", listing->label_selector);
    query_add(&query, "fieldSelector", listing->field_selector);
    if (listing->restarts <= RESTARTS_MAX)
        query_add(&query, "limit", PAGE_LIMIT);
    query_add(&query, "continue", listing->continue_token);
    free(call->query);
    call->query = text_take(&query);
    client_call_submit(call);
}

static void list_continue(struct client_call *call, const struct kube_response *response)
{
    struct listing *listing = call->listing;
    if (response->error.kind == ERROR_GONE && listing->continue_token != NULL) {
        list_restart(call);
        return;
    }
    if (response->error.kind != ERROR_NONE) {
        client_call_finish(call, response, response->body);
        return;
    }
    if (!json_is_array(json_object_get(response->body, "items")) &&
        !json_is_null(json_object_get(response->body, "items"))) {
        struct kube_response bad = {.status = response->status};
        error_set(&bad.error, ERROR_UNAVAILABLE, "GET %s: the answer is not a list", call->path);
        client_call_finish(call, &bad, NULL);
        return;
    }
    if (!list_take_page(call, response->body))
        return; // cancelled by the page's handler
    const char *token = list_metadata(response->body, "continue");
    free(listing->continue_token);
    listing->continue_token = memory_copy_string(token);
    if (token != NULL)
        list_ask(call);
    else
        list_finish(call, response);
}

// The pages' snapshot has expired on the server: the list begins anew.
static void list_restart(struct client_call *call)
{
    assert(call->listing->continue_token != NULL);
    struct listing *listing = call->listing;
    listing->restarts++;
    free(listing->continue_token);
    free(listing->resource_version);
    listing->continue_token = listing->resource_version = NULL;
    if (listing->items != NULL)
        json_array_clear(listing->items);
    list_ask(call);
}

static bool list_take_page(struct client_call *call, const json_t *page)
{
    assert(!call->is_busy);
    struct listing *listing = call->listing;
    bool first = listing->continue_token == NULL;
    if (first) {
        free(listing->resource_version);
        listing->resource_version = memory_copy_string(list_metadata(page, "resourceVersion"));
    }
    if (listing->page == NULL) {
        json_array_extend(listing->items, json_object_get(page, "items"));
        return true;
    }
    call->is_busy = true;
    listing->page(call->context, page, first);
    call->is_busy = false;
    if (!call->is_cancelled)
        return true;
    client_call_free(call);
    return false;
}

static void name_list(json_t *body, const struct kind *kind)
{
    assert(json_is_object(body));
    char name[80];
    snprintf(name, sizeof name, "%sList", kind->name);
    json_object_set_new(body, "apiVersion", json_string(kind->api_version));
    json_object_set_new(body, "kind", json_string(name));
}

static void list_finish(struct client_call *call, const struct kube_response *response)
{
    struct listing *listing = call->listing;
    json_t *body = NULL;
    if (listing->items != NULL) {
        const char *version = listing->resource_version;
        body = json_pack("{s:{s:s}, s:O}", "metadata", "resourceVersion",
                         version != NULL ? version : "", "items", listing->items);
        if (call->kind != KIND_COUNT)
            name_list(body, kind_get(call->kind));
    }
    client_call_finish(call, response, body);
    json_decref(body);
}

// NULL if absent or empty.
static const char *list_metadata(const json_t *page, const char *name)
{
    const char *value = json_string_value(json_object_get(json_object_get(page, "metadata"), name));
    return value != NULL && value[0] != '\0' ? value : NULL;
}
