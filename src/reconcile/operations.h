// Operations: calls to the API server, and other slow calls, started by a reconcile (design.md idea
// 3).
//
// Each belongs to a work item. When all of an item's operations have ended, the item is finished
// and its key reconciled again: after success at once, after an error with back-off. A completion
// only records: the answered object goes into the mirror (mirror_observe), and the `record`
// function may note the result for the next reconcile.
#pragma once

#include "kube/client.h"
#include "model/schema/core.h"
#include "reconcile/reconcile_queue.h"

struct manager;
struct timer;

struct operations;
struct operations *operations_create(struct manager *manager);
// No completion may come after this: client and cloud are destroyed before the loop runs on.
void operations_destroy(struct operations *operations);
uint32_t operations_under_way(const struct operations *operations);

// The outcome of a result for its item.
enum operation_outcome {
    OPERATION_PASS,  // success, or an error for the item's back-off (404: success; 409: silent)
    OPERATION_NOTED, // recorded, success or not: reconcile again at once
    OPERATION_RETRY, // try again with back-off, silently (a refused eviction)
};
typedef enum operation_outcome (*operation_record)(void *context, const char *key,
                                                   const struct kube_result *result);

// Common to all: the item, a text for messages ("removing finalizer") and the callback that records
// the answer. `record` may be NULL.
struct operation_about {
    struct manager *manager;
    struct work_item *item;
    const char *doing; // static text
    operation_record record;
    void *context;
};

// `body` is stolen. Each returns reconcile_running() for a tail call.
// Reads one object of a kind that is not mirrored; only `record` gets it.
struct reconcile_result start_get(const struct operation_about *about, enum kind_id kind,
                                  const char *namespace, const char *name);
// Lists all objects of a kind from the API server itself, newer than the mirror; `page` gets them
// page by page (kube_list_pages()), then `about->record` the end.
struct reconcile_result start_list(const struct operation_about *about, enum kind_id kind,
                                   kube_page_callback page);
struct reconcile_result start_patch(const struct operation_about *about,
                                    const struct object *object, const char *subresource,
                                    json_t *body);
struct reconcile_result start_patch_status(const struct operation_about *about,
                                           const struct object *object, json_t *body);
struct reconcile_result start_create(const struct operation_about *about, enum kind_id kind,
                                     json_t *body);
struct reconcile_result start_delete(const struct operation_about *about,
                                     const struct object *object, int64_t grace_period_seconds);
struct reconcile_result start_evict(const struct operation_about *about, const struct pod *pod);

// --- for rooms with calls of their own -----------------------------------------------------------
// The first member of another kind of operation.
struct operation {
    struct operations *operations;
    struct operation *next, *previous;
    struct work_item *item;
    const char *doing;
    struct timer *timer; // or NULL; set by the caller, destroyed with the operation
};
// Allocates `size` zeroed bytes that begin with a struct operation, already set. The caller returns
// reconcile_running() and calls operation_end() once, later. `about->record` is not used.
void *operation_begin(const struct operation_about *about, size_t size);
// Frees the operation and finishes the item if this was its last.
void operation_end(struct operation *operation, enum operation_outcome outcome,
                   const struct error *error);
