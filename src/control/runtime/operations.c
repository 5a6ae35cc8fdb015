#include "control/runtime/operations.h"

#include <assert.h>
#include <stdlib.h>

#include "base/nanoseconds.h"
#include "kube/client_list.h"

struct operation {
    struct operations *operations;
    struct operation *next, *previous;
    struct work_item *item;
    const char *doing;
    const char *method;
    int64_t started_ns;
    operation_record record;
    operation_record_machine record_machine;
    operation_record_machines record_machines;
    kube_page_callback page;
    void *context;
    struct timer *refusal; // of a write that may not be made
};

struct pending { // of one item
    uint32_t count;
    bool failed, conflict, retry;
    struct error error; // the first
};

struct operations {
    struct control *control;
    struct operation *first;
    uint32_t count;
    struct map *pending; // queue address and key -> struct pending
};

struct operations *operations_create(struct control *control)
{
    struct operations *operations = memory_allocate(sizeof *operations);
    operations->control = control;
    operations->pending = map_create();
    return operations;
}

void operations_destroy(struct operations *operations)
{
    if (operations == NULL)
        return;
    for (struct operation *operation = operations->first, *next; operation != NULL;
         operation = next) {
        next = operation->next;
        timer_destroy(operation->refusal);
        free(operation);
    }
    map_destroy(operations->pending, free);
    free(operations);
}

uint32_t operations_under_way(const struct operations *operations)
{
    return operations->count;
}

static char *pending_key(const struct work_item *item)
{
    struct text key = {0};
    text_format(&key, "%p/%s", (const void *)work_item_queue(item), work_item_key(item));
    return text_take(&key);
}

static struct operation *begin(const struct operation_about *about, const char *method)
{
    struct operations *operations = about->control->operations;
    struct operation *operation = memory_allocate(sizeof *operation);
    operation->operations = operations;
    operation->item = about->item;
    operation->doing = about->doing;
    operation->record = about->record;
    operation->context = about->context;
    operation->method = method;
    operation->started_ns = loop_monotonic_ns(about->control->loop);
    operation->next = operations->first;
    if (operations->first != NULL)
        operations->first->previous = operation;
    operations->first = operation;
    operations->count++;
    char *key CLEANUP_FREE = pending_key(about->item);
    struct pending *pending = map_ensure(operations->pending, key, sizeof *pending);
    pending->count++;
    return operation;
}

static void note_error(struct pending *pending, const struct operation *operation,
                       const struct error *error)
{
    // Not found is success (LIF-4), but the mirror does not know it yet: look again a little later
    // instead of asking at once for the same again.
    if (error->kind == ERROR_CONFLICT || error->kind == ERROR_NOT_FOUND) {
        pending->conflict = true;
        return;
    }
    if (pending->failed)
        return;
    pending->failed = true;
    pending->error = *error;
    error_prefix(&pending->error, "%s", operation->doing);
}

static void end(struct operation *operation, enum operation_outcome outcome,
                const struct error *error)
{
    struct operations *operations = operation->operations;
    if (operation->previous != NULL)
        operation->previous->next = operation->next;
    else
        operations->first = operation->next;
    if (operation->next != NULL)
        operation->next->previous = operation->previous;
    operations->count--;
    struct work_item *item = operation->item;
    char *key CLEANUP_FREE = pending_key(item);
    struct pending *pending = map_get(operations->pending, key);
    assert(pending != NULL && pending->count > 0);
    if (outcome == OPERATION_RETRY)
        pending->retry = true;
    else if (outcome == OPERATION_PASS && error->kind != ERROR_NONE)
        note_error(pending, operation, error);
    timer_destroy(operation->refusal);
    free(operation);
    if (--pending->count > 0)
        return;
    map_remove(operations->pending, key);
    struct reconcile_result result = {RECONCILE_DONE, 0};
    if (pending->failed)
        result.status = RECONCILE_ERROR;
    else if (pending->retry)
        result.status = RECONCILE_BACKOFF;
    else if (pending->conflict)
        result.status = RECONCILE_CONFLICT;
    reconcile_queue_finish(item, result, &pending->error);
    free(pending);
}

static void kube_done(void *context, const struct kube_result *result)
{
    struct operation *operation = context;
    struct control *control = operation->operations->control;
    if (result->error.kind == ERROR_NONE && result->object != NULL)
        mirror_observe(control->mirror, result->object);
    enum operation_outcome outcome = OPERATION_PASS;
    if (operation->record != NULL)
        outcome = operation->record(operation->context, work_item_key(operation->item), result);
    end(operation, outcome, &result->error);
}

static void get_done(void *context, const struct kube_result *result)
{
    struct operation *operation = context;
    enum operation_outcome outcome =
        operation->record(operation->context, work_item_key(operation->item), result);
    end(operation, outcome, &result->error);
}

struct reconcile_result start_get(const struct operation_about *about, enum kind_id kind,
                                  const char *namespace, const char *name)
{
    kube_get(about->control->client, kind, namespace, name, get_done, begin(about, "get"));
    return reconcile_running();
}

static void page_read(void *context, const json_t *page, bool first)
{
    const struct operation *operation = context;
    operation->page(operation->context, page, first);
}

struct reconcile_result start_list(const struct operation_about *about, enum kind_id kind,
                                   kube_page_callback page)
{
    struct operation *operation = begin(about, "list");
    operation->page = page;
    kube_list_pages(about->control->client, kind, NULL, NULL, NULL, page_read, get_done, operation);
    return reconcile_running();
}

struct reconcile_result start_patch(const struct operation_about *about,
                                    const struct object *object, const char *subresource,
                                    json_t *body)
{
    struct operation *operation = begin(about, "patch");
    kube_patch(about->control->client, object->kind->id, object->meta.namespace, object->meta.name,
               subresource, PATCH_MERGE, body, kube_done, operation);
    json_decref(body);
    return reconcile_running();
}

struct reconcile_result start_patch_status(const struct operation_about *about,
                                           const struct object *object, json_t *body)
{
    return start_patch(about, object, "status", body);
}

struct reconcile_result start_create(const struct operation_about *about, enum kind_id kind,
                                     json_t *body)
{
    struct operation *operation = begin(about, "create");
    const char *namespace =
        json_string_value(json_object_get(json_object_get(body, "metadata"), "namespace"));
    kube_create_json(about->control->client, kind, namespace, body, kube_done, operation);
    json_decref(body);
    return reconcile_running();
}

// The answer to a deletion is the object with its deletionTimestamp if something still holds it. It
// must not go into the mirror in any other case: the object is gone then.
static void delete_done(void *context, const struct kube_result *result)
{
    struct operation *operation = context;
    struct kube_result seen = *result;
    if (seen.object != NULL && !object_is_deleting(seen.object))
        seen.object = NULL;
    kube_done(operation, &seen);
}

struct reconcile_result start_delete(const struct operation_about *about,
                                     const struct object *object, int64_t grace_period_seconds)
{
    struct operation *operation = begin(about, "delete");
    struct kube_delete_options options = {.uid = object->meta.uid,
                                          .grace_period_seconds = grace_period_seconds};
    kube_delete(about->control->client, object->kind->id, object->meta.namespace, object->meta.name,
                &options, delete_done, operation);
    return reconcile_running();
}

static void evict_done(void *context, const struct kube_result *result)
{
    struct kube_result answer = *result;
    answer.object = NULL; // an Eviction, or a Status
    kube_done(context, &answer);
}

struct reconcile_result start_evict(const struct operation_about *about, const struct pod *pod)
{
    struct operation *operation = begin(about, "evict");
    kube_evict(about->control->client, pod->meta.namespace, pod->meta.name, pod->meta.uid,
               evict_done, operation);
    return reconcile_running();
}

// --- the cloud -----------------------------------------------------------------------------------
static const char *cloud_error_name(const struct error *error)
{
    if (error->kind == ERROR_INSUFFICIENT_CAPACITY)
        return "InsufficientCapacityError";
    if (error->kind == ERROR_NOT_FOUND)
        return "NodeClaimNotFoundError";
    return error->kind == ERROR_NODE_CLASS_NOT_READY ? "NodeClassNotReadyError" : "";
}

static void cloud_observe(const struct operation *operation, const struct error *error)
{
    struct control *control = operation->operations->control;
    const char *provider = control->cloud->operations->name;
    double seconds =
        (double)ns_subtract(loop_monotonic_ns(control->loop), operation->started_ns) / SECOND;
    metric_observe(control->metrics.cloud_seconds, seconds, operation->doing, operation->method,
                   provider);
    if (error->kind != ERROR_NONE)
        metric_add(control->metrics.cloud_errors, 1, operation->doing, operation->method, provider,
                   cloud_error_name(error));
}

static void machine_done(void *context, const struct machine_result *result)
{
    struct operation *operation = context;
    cloud_observe(operation, &result->error);
    enum operation_outcome outcome =
        operation->record_machine(operation->context, work_item_key(operation->item), result);
    end(operation, outcome, &result->error);
}

static void machines_done(void *context, const struct machine_list_result *result)
{
    struct operation *operation = context;
    cloud_observe(operation, &result->error);
    enum operation_outcome outcome =
        operation->record_machines(operation->context, work_item_key(operation->item), result);
    end(operation, outcome, &result->error);
}

static struct operation *begin_cloud(const struct operation_about *about, const char *method,
                                     operation_record_machine record)
{
    struct operation *operation = begin(about, method);
    operation->record_machine = record;
    return operation;
}

static void machine_refused(void *context)
{
    struct machine_result result = {0};
    error_set(&result.error, ERROR_UNAVAILABLE, "not done, this replica does not lead");
    machine_done(context, &result);
}

// Machines are changed by the leader only, as objects are (kube_client_gate_writes()).
static bool may_change_machines(struct operation *operation)
{
    struct control *control = operation->operations->control;
    if (kube_client_may_write(control->client))
        return true;
    operation->refusal = timer_create_on(control->loop, machine_refused, operation);
    timer_start(operation->refusal, 0);
    return false;
}

struct reconcile_result start_machine_create(const struct operation_about *about,
                                             const struct node_claim *claim,
                                             operation_record_machine record)
{
    struct cloud *cloud = about->control->cloud;
    struct operation *operation = begin_cloud(about, "Create", record);
    if (may_change_machines(operation))
        cloud->operations->create(cloud, claim, machine_done, operation);
    return reconcile_running();
}

struct reconcile_result start_machine_delete(const struct operation_about *about,
                                             const char *provider_id,
                                             operation_record_machine record)
{
    struct cloud *cloud = about->control->cloud;
    struct operation *operation = begin_cloud(about, "Delete", record);
    if (may_change_machines(operation))
        cloud->operations->delete (cloud, provider_id, machine_done, operation);
    return reconcile_running();
}

struct reconcile_result start_machine_get(const struct operation_about *about,
                                          const char *provider_id, operation_record_machine record)
{
    struct cloud *cloud = about->control->cloud;
    cloud->operations->get(cloud, provider_id, machine_done, begin_cloud(about, "Get", record));
    return reconcile_running();
}

struct reconcile_result start_machine_list(const struct operation_about *about,
                                           operation_record_machines record)
{
    struct cloud *cloud = about->control->cloud;
    struct operation *operation = begin_cloud(about, "List", NULL);
    operation->record_machines = record;
    cloud->operations->list(cloud, machines_done, operation);
    return reconcile_running();
}
