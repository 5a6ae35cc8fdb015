// Operations: calls to the API server and the cloud that a reconcile has started (design.md idea
// 3).
//
// Each belongs to a work item. When all of an item's operations have ended, the item is finished
// and its key reconciled again: after success at once, after an error with back-off. A completion
// does nothing but record: the object answered goes into the mirror (mirror_observe), the `record`
// function may note the result where the next reconcile finds it.
#pragma once

#include "control/runtime/control.h"

struct operations;
struct operations *operations_create(struct control *control);
// No completion may come after this: client and cloud are destroyed before the loop runs on.
void operations_destroy(struct operations *operations);
uint32_t operations_under_way(const struct operations *operations);

// Of what is known about a result afterwards.
enum operation_outcome {
    OPERATION_PASS,  // success, or an error for the item's back-off (404: success; 409: silent)
    OPERATION_NOTED, // whatever it was, it is recorded: reconcile again at once
    OPERATION_RETRY, // try again with back-off, silently (a refused eviction)
};
typedef enum operation_outcome (*operation_record)(void *context, const char *key,
                                                   const struct kube_result *result);
typedef enum operation_outcome (*operation_record_machine)(void *context, const char *key,
                                                           const struct machine_result *result);
typedef enum operation_outcome (*operation_record_machines)(
    void *context, const char *key, const struct machine_list_result *result);

// What is common to all: the item, what is being done (for messages: "removing finalizer") and who
// records. `record` may be NULL.
struct operation_about {
    struct control *control;
    struct work_item *item;
    const char *doing; // static text
    operation_record record;
    void *context;
};

// `body` is stolen. Each answers reconcile_running() for a tail call.
// Reads one object of a kind that is not mirrored; only `record` sees it.
struct reconcile_result start_get(const struct operation_about *about, enum kind_id kind,
                                  const char *namespace, const char *name);
// Lists all objects of a kind from the API server itself, newer than whatever the mirror has;
// `page` gets them page by page (kube_list_pages()), then `about->record` the end.
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

// The cloud's; `about->record` is not used.
struct reconcile_result start_machine_create(const struct operation_about *about,
                                             const struct node_claim *claim,
                                             operation_record_machine record);
struct reconcile_result start_machine_delete(const struct operation_about *about,
                                             const char *provider_id,
                                             operation_record_machine record);
struct reconcile_result start_machine_get(const struct operation_about *about,
                                          const char *provider_id, operation_record_machine record);
struct reconcile_result start_machine_list(const struct operation_about *about,
                                           operation_record_machines record);
