#include "reconcile/operations.h"

#include <assert.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"
#include "kube/client_list.h"
#include "reconcile/manager.h"

struct call { // to the API server
    struct operation operation;
    operation_record record;
    kube_page_callback page;
    void *context;
};

struct pending { // of one item
    uint32_t count;
    bool failed, conflict, retry;
    struct error error; // the first
};

struct operations {
    struct manager *manager;
    struct operation *first;
    uint32_t count;
    struct map *pending; // queue address and key -> struct pending
};

struct operations *operations_create(struct manager *manager)
{
    assert(manager != NULL);
    struct operations *operations = memory_allocate(sizeof *operations);
    operations->manager = manager;
    operations->pending = map_create();
    return operations;
}

void operations_destroy(struct operations *operations)
{
    if (operations == NULL)
        return;
    assert((operations->first == NULL) == (operations->count == 0));
    for (struct operation *operation = operations->first, *next; operation != NULL;
         operation = next) {
        next = operation->next;
        timer_destroy(operation->timer);
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

void *operation_begin(const struct operation_about *about, size_t size)
{
    assert(size >= sizeof(struct operation));
    assert(about->item != NULL);
    assert(about->doing != NULL);
    struct operations *operations = about->manager->operations;
    assert(operations != NULL);
    assert(reconcile_queue_in_work(work_item_queue(about->item)) > 0);
    struct operation *operation = memory_allocate(size);
    operation->operations = operations;
    operation->item = about->item;
    operation->doing = about->doing;
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
    assert(error->kind != ERROR_NONE);
    // Not found is success (LIF-4), but the mirror does not show it yet: retry a little later
    // instead of repeating the same request at once.
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

void operation_end(struct operation *operation, enum operation_outcome outcome,
                   const struct error *error)
{
    assert(outcome <= OPERATION_RETRY);
    assert(outcome != OPERATION_PASS || error != NULL);
    struct operations *operations = operation->operations;
    assert(operations->count > 0);
    assert(operation->previous != NULL || operations->first == operation);
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
    assert(pending != NULL);
    assert(pending->count > 0);
    if (outcome == OPERATION_RETRY)
        pending->retry = true;
    else if (outcome == OPERATION_PASS && error->kind != ERROR_NONE)
        note_error(pending, operation, error);
    timer_destroy(operation->timer);
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

// --- calls to the API server ---------------------------------------------------------------------
static struct call *begin(const struct operation_about *about)
{
    struct call *call = operation_begin(about, sizeof *call);
    call->record = about->record;
    call->context = about->context;
    return call;
}

static void kube_done(void *context, const struct kube_result *result)
{
    struct call *call = context;
    struct manager *manager = call->operation.operations->manager;
    if (result->error.kind == ERROR_NONE && result->object != NULL)
        mirror_observe(manager->mirror, result->object);
    enum operation_outcome outcome = OPERATION_PASS;
    if (call->record != NULL)
        outcome = call->record(call->context, work_item_key(call->operation.item), result);
    operation_end(&call->operation, outcome, &result->error);
}

static void get_done(void *context, const struct kube_result *result)
{
    struct call *call = context;
    enum operation_outcome outcome =
        call->record(call->context, work_item_key(call->operation.item), result);
    operation_end(&call->operation, outcome, &result->error);
}

struct reconcile_result start_get(const struct operation_about *about, enum kind_id kind,
                                  const char *namespace, const char *name)
{
    assert(about->record != NULL);
    assert(kind < KIND_COUNT);
    assert(name != NULL);
    kube_get(about->manager->client, kind, namespace, name, get_done, begin(about));
    return reconcile_running();
}

static void page_read(void *context, const json_t *page, bool first)
{
    const struct call *call = context;
    call->page(call->context, page, first);
}

struct reconcile_result start_list(const struct operation_about *about, enum kind_id kind,
                                   kube_page_callback page)
{
    assert(about->record != NULL);
    assert(page != NULL);
    assert(kind < KIND_COUNT);
    struct call *call = begin(about);
    call->page = page;
    kube_list_pages(about->manager->client, &(struct kube_selection){kind}, page_read, get_done,
                    call);
    return reconcile_running();
}

struct reconcile_result start_patch(const struct operation_about *about,
                                    const struct object *object, const char *subresource,
                                    json_t *body)
{
    assert(json_is_object(body));
    assert(object->meta.name != NULL);
    struct call *call = begin(about);
    kube_patch(about->manager->client,
               &(struct kube_target){object->kind->id, object->meta.namespace, object->meta.name,
                                     subresource},
               PATCH_MERGE, body, kube_done, call);
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
    assert(json_is_object(body));
    assert(kind < KIND_COUNT);
    struct call *call = begin(about);
    const char *namespace =
        json_string_value(json_object_get(json_object_get(body, "metadata"), "namespace"));
    kube_create_json(about->manager->client, kind, namespace, body, kube_done, call);
    json_decref(body);
    return reconcile_running();
}

// The answer to a deletion is the object with its deletionTimestamp if a finalizer still holds it.
// Otherwise the object is gone and must not go into the mirror.
static void delete_done(void *context, const struct kube_result *result)
{
    struct kube_result seen = *result;
    if (seen.object != NULL && !object_is_deleting(seen.object))
        seen.object = NULL;
    kube_done(context, &seen);
}

struct reconcile_result start_delete(const struct operation_about *about,
                                     const struct object *object, int64_t grace_period_seconds)
{
    assert(object->meta.name != NULL);
    struct call *call = begin(about);
    struct kube_delete_options options = {.uid = object->meta.uid,
                                          .grace_period_seconds = grace_period_seconds};
    kube_delete(about->manager->client,
                &(struct kube_target){object->kind->id, object->meta.namespace, object->meta.name},
                &options, delete_done, call);
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
    assert(pod->meta.name != NULL);
    struct call *call = begin(about);
    kube_evict(about->manager->client, pod->meta.namespace, pod->meta.name, pod->meta.uid,
               evict_done, call);
    return reconcile_running();
}
