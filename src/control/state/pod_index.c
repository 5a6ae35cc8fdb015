#include "control/state/pod_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"
#include "model/schema/object.h"

void pod_index_init(struct pod_index *index)
{
    *index = (struct pod_index){.records = map_create(), .bound = map_create()};
}

static void pod_record_destroy(void *value)
{
    struct pod_record *record = value;
    object_release((const struct object *)record->pod);
    free(record);
}

static void pod_list_destroy(void *value)
{
    struct pod_list *list = value;
    free(list->items);
    free(list);
}

void pod_index_free(struct pod_index *index)
{
    map_destroy(index->records, pod_record_destroy);
    map_destroy(index->bound, pod_list_destroy);
    free(index->provisionable.items);
    free(index->unbound.items);
    scheduler_turns_free(&index->turns);
}

struct pod_record *pod_index_find(const struct pod_index *index, const struct pod *pod)
{
    char key[600];
    object_namespaced_name((const struct object *)pod, key);
    return map_get(index->records, key);
}

struct pod_record *pod_index_ensure(struct pod_index *index, const struct pod *pod, int64_t now_ns)
{
    struct pod_record *record = pod_index_find(index, pod);
    if (record != NULL)
        return record;
    char key[600];
    object_namespaced_name((const struct object *)pod, key);
    record = memory_allocate(sizeof *record);
    record->turn.at = scheduler_turns_next(&index->turns, now_ns);
    map_set(index->records, key, record);
    return record;
}

// Removes the pod from a list by moving the last pod into its place.
enum pod_listing { BOUND, PROVISIONABLE, UNBOUND };

static void unlist(struct pod_index *pods, struct pod_list *list, uint32_t index,
                   enum pod_listing listing)
{
    list->items[index] = list->items[--list->count];
    if (index == list->count)
        return;
    struct pod_record *moved = pod_index_find(pods, list->items[index]);
    switch (listing) {
    case BOUND:
        moved->bound_index = index;
        break;
    case PROVISIONABLE:
        moved->provisionable_index = index;
        break;
    case UNBOUND:
        moved->unbound_index = index;
        break;
    }
}

static void unlist_all(struct pod_index *pods, struct pod_record *record)
{
    if (record->bound != NULL)
        unlist(pods, record->bound, record->bound_index, BOUND);
    if (record->provisionable)
        unlist(pods, &pods->provisionable, record->provisionable_index, PROVISIONABLE);
    if (record->is_unbound)
        unlist(pods, &pods->unbound, record->unbound_index, UNBOUND);
    record->bound = NULL;
    record->provisionable = record->is_unbound = false;
}

static void enlist(struct pod_index *pods, struct pod_record *record, bool provisionable)
{
    const struct pod *pod = record->pod;
    if (pod_is_bound(pod)) {
        record->bound = map_ensure(pods->bound, pod->spec.node_name, sizeof(struct pod_list));
        record->bound_index = record->bound->count;
        vector_push(record->bound, pod);
        return;
    }
    record->is_unbound = !pod_is_terminal(pod);
    if (record->is_unbound) {
        record->unbound_index = pods->unbound.count;
        vector_push(&pods->unbound, pod);
    }
    record->provisionable = provisionable;
    if (record->provisionable) {
        record->provisionable_index = pods->provisionable.count;
        vector_push(&pods->provisionable, pod);
    }
}

static const struct condition *scheduled_of(const struct pod *pod)
{
    return pod != NULL ? condition_find(&pod->status.conditions, CONDITION_POD_SCHEDULED) : NULL;
}

// kube-scheduler has tried the pod in vain between the two versions.
static bool was_tried(const struct pod *before, const struct pod *pod)
{
    const struct condition *old = scheduled_of(before), *new = scheduled_of(pod);
    if (new == NULL || pod_is_bound(pod) || text_equal(new->reason, "SchedulingGated"))
        return false;
    return old == NULL || !text_equal(old->message, new->message) ||
           !text_equal(old->reason, new->reason) ||
           (pod_is_nominated(before) && !pod_is_nominated(pod));
}

void pod_index_replace(struct pod_index *index, struct pod_record *record, const struct pod *pod,
                       bool provisionable, int64_t now_ns)
{
    unlist_all(index, record);
    const struct pod *before = record->pod;
    if (was_tried(before, pod))
        scheduler_turns_note_attempt(&index->turns, &record->turn, scheduled_of(pod)->message,
                                     now_ns);
    else if (pod_is_bound(pod) || pod_is_terminal(pod))
        scheduler_turns_forget(&index->turns, &record->turn);
    if (before != NULL && pod_is_nominated(before) != pod_is_nominated(pod))
        record->lost_ns = pod_is_nominated(before) ? now_ns : 0;
    record->pod = (const struct pod *)object_acquire((const struct object *)pod);
    object_release((const struct object *)before);
    enlist(index, record, provisionable);
}

void pod_index_remove(struct pod_index *index, struct pod_record *record)
{
    char key[600];
    object_namespaced_name((const struct object *)record->pod, key);
    unlist_all(index, record);
    scheduler_turns_forget(&index->turns, &record->turn);
    map_remove(index->records, key);
    pod_record_destroy(record);
}

int64_t pod_index_turn(const struct pod_index *index, const struct pod *pod)
{
    const struct pod_record *record = pod_index_find(index, pod);
    return record != NULL ? record->turn.at : 0;
}

const struct pod_list *pod_index_on(const struct pod_index *index, const char *node_name)
{
    static const struct pod_list none = {0};
    const struct pod_list *list = node_name != NULL ? map_get(index->bound, node_name) : NULL;
    return list != NULL ? list : &none;
}

void pod_index_drop_node(struct pod_index *index, const char *node_name)
{
    if (node_name != NULL && map_get(index->bound, node_name) != NULL &&
        pod_index_on(index, node_name)->count == 0)
        pod_list_destroy(map_remove(index->bound, node_name));
}
