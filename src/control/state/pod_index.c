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

#define NO_NODES "no nodes available to schedule pods"
#define RETRY_NS (1500 * MILLISECOND) // the first backoff, and half the period of its check
// Attempts with a longer pause between them do not follow each other.
#define PACE_MAX_NS (200 * MILLISECOND)
#define PACE_WEIGHT 32

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
    vector_free(&index->nodeless);
}

struct pod_record *pod_index_find(const struct pod_index *index, const struct pod *pod)
{
    char key[600];
    object_namespaced_name((const struct object *)pod, key);
    return map_get(index->records, key);
}

static int64_t next_turn(struct pod_index *index, int64_t now_ns)
{
    index->last_turn = ns_maximum(now_ns, ns_add(index->last_turn, 1));
    return index->last_turn;
}

struct pod_record *pod_index_ensure(struct pod_index *index, const struct pod *pod, int64_t now_ns)
{
    struct pod_record *record = pod_index_find(index, pod);
    if (record != NULL)
        return record;
    char key[600];
    object_namespaced_name((const struct object *)pod, key);
    record = memory_allocate(sizeof *record);
    record->turn = next_turn(index, now_ns);
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

static void forget_nodeless(struct pod_index *index, struct pod_record *record)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; record->waits_for_nodes && i < index->nodeless.count; i++)
        if (index->nodeless.items[i] != record)
            index->nodeless.items[kept++] = index->nodeless.items[i];
    if (record->waits_for_nodes)
        index->nodeless.count = kept;
    record->waits_for_nodes = false;
}

// Without nodes, each pod is tried again after a while, and that changes nothing of it. The pods
// are taken by turn: those that wait and come before the one that was tried now have been tried,
// too.
static void pass_nodeless(struct pod_index *index, int64_t turn, int64_t now_ns)
{
    uint32_t passed = 0, count = index->nodeless.count;
    while (passed < count && index->nodeless.items[passed]->turn < turn &&
           ns_subtract(now_ns, index->nodeless.items[passed]->turn) >= RETRY_NS) {
        struct pod_record *record = index->nodeless.items[passed++];
        record->turn = next_turn(index, now_ns);
        vector_push(&index->nodeless, record);
    }
    index->nodeless.count -= passed;
    memmove(index->nodeless.items, index->nodeless.items + passed,
            index->nodeless.count * sizeof(struct pod_record *));
}

static const struct condition *scheduled_of(const struct pod *pod)
{
    return pod != NULL ? condition_find(&pod->status.conditions, CONDITION_POD_SCHEDULED) : NULL;
}

// kube-scheduler has tried the pod in vain between the two versions.
static bool was_tried(const struct pod *before, const struct pod *pod)
{
    const struct condition *old = scheduled_of(before), *new = scheduled_of(pod);
    if (new == NULL || pod_is_bound(pod))
        return false;
    return old == NULL || !text_equal(old->message, new->message) ||
           !text_equal(old->reason, new->reason) ||
           (pod_is_nominated(before) && !pod_is_nominated(pod));
}

static void note_pace(struct pod_index *index, int64_t now_ns)
{
    int64_t gap_ns = ns_subtract(now_ns, index->attempted_ns);
    index->attempted_ns = now_ns;
    if (gap_ns <= PACE_MAX_NS)
        index->pace_ns = ns_add(index->pace_ns, ns_subtract(gap_ns, index->pace_ns) / PACE_WEIGHT);
}

static void note_attempt(struct pod_index *index, struct pod_record *record, const struct pod *pod,
                         int64_t now_ns)
{
    note_pace(index, now_ns);
    forget_nodeless(index, record);
    if (index->nodeless.count > 0)
        pass_nodeless(index, record->turn, now_ns);
    record->turn = next_turn(index, now_ns);
    record->waits_for_nodes = text_equal(scheduled_of(pod)->message, NO_NODES);
    if (record->waits_for_nodes)
        vector_push(&index->nodeless, record);
}

void pod_index_replace(struct pod_index *index, struct pod_record *record, const struct pod *pod,
                       bool provisionable, int64_t now_ns)
{
    unlist_all(index, record);
    const struct pod *before = record->pod;
    if (was_tried(before, pod))
        note_attempt(index, record, pod, now_ns);
    else if (pod_is_bound(pod))
        forget_nodeless(index, record);
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
    forget_nodeless(index, record);
    map_remove(index->records, key);
    pod_record_destroy(record);
}

int64_t pod_index_turn(const struct pod_index *index, const struct pod *pod)
{
    const struct pod_record *record = pod_index_find(index, pod);
    return record != NULL ? record->turn : 0;
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
