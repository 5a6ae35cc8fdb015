#include "sim/scheduler_queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"

static void heap_add(struct scheduler *scheduler, struct scheduled_pod *entry);
static void heap_remove(struct scheduler *scheduler, uint32_t position);

void scheduler_activate(struct scheduler *scheduler, struct scheduled_pod *entry)
{
    if (entry->state == POD_ACTIVE && entry->position != UINT32_MAX)
        return;
    entry->state = POD_ACTIVE;
    heap_add(scheduler, entry);
    if (!timer_is_running(scheduler->cycle))
        timer_start(scheduler->cycle, scheduler->world->options.scheduler_pod_ns);
}

struct scheduled_pod *scheduler_pop(struct scheduler *scheduler)
{
    if (scheduler->active.count == 0)
        return NULL;
    struct scheduled_pod *entry = scheduler->active.items[0];
    heap_remove(scheduler, 0);
    return entry;
}

void scheduler_forget(struct scheduler *scheduler, struct scheduled_pod *entry)
{
    if (entry->position != UINT32_MAX)
        heap_remove(scheduler, entry->position);
    work_queue_forget(scheduler->later, entry->key);
    work_queue_forget(scheduler->bindings, entry->key);
    map_remove(scheduler->bindings_under_way, entry->key);
    map_remove(scheduler->entries, entry->key);
    free(entry->key);
    free(entry->node);
    free(entry);
}

void scheduler_give_up(struct scheduler *scheduler, struct scheduled_pod *entry)
{
    const struct world_options *options = &scheduler->world->options;
    map_remove(scheduler->bindings_under_way, entry->key);
    free(entry->node);
    entry->node = NULL;
    entry->state = POD_UNSCHEDULABLE;
    entry->tried = loop_monotonic_ns(scheduler->world->loop);
    entry->backoff_ns = options->scheduler_backoff_ns;
    for (uint32_t i = 0;
         i < entry->attempts && entry->backoff_ns < options->scheduler_backoff_max_ns; i++)
        entry->backoff_ns = ns_multiply(entry->backoff_ns, 2);
    if (entry->backoff_ns > options->scheduler_backoff_max_ns)
        entry->backoff_ns = options->scheduler_backoff_max_ns;
    entry->attempts++;
    work_queue_forget(scheduler->later, entry->key);
    work_queue_add_after(scheduler->later, entry->key, options->scheduler_retry_ns);
}

// --- hints ---------------------------------------------------------------------------------------

struct kin_answer { // for the pods of one ReplicaSet
    const char *kin;
    int64_t generation;
    bool helps;
};
static bool helps_like(struct scheduler *scheduler, const struct pod *pod, struct kin_answer *last);

void scheduler_hint_node(struct scheduler *scheduler, uint32_t node)
{
    if (node == FILTER_NODE_NONE)
        return;
    // The same node often changes several times in a row.
    if (scheduler->changed_nodes.count > 0 &&
        scheduler->changed_nodes.items[scheduler->changed_nodes.count - 1] == node)
        return;
    vector_push(&scheduler->changed_nodes, node);
    work_queue_add(scheduler->hints, "");
}

void scheduler_hint_others(struct scheduler *scheduler)
{
    scheduler->others_changed = true;
    work_queue_add(scheduler->hints, "");
}

void scheduler_use_hints(void *context, const char *key)
{
    (void)key;
    struct scheduler *scheduler = context;
    int64_t now_ns = loop_monotonic_ns(scheduler->world->loop);
    struct kin_answer last = {0};
    for (struct map_entry *e = map_first(scheduler->entries); e != NULL; e = map_next(e)) {
        struct scheduled_pod *entry = map_value(e);
        if (entry->state != POD_UNSCHEDULABLE || !helps_like(scheduler, entry->object->pod, &last))
            continue;
        int64_t pause_ns = ns_subtract(ns_add(entry->tried, entry->backoff_ns), now_ns);
        if (pause_ns <= 0) {
            scheduler_activate(scheduler, entry);
        } else {
            entry->state = POD_BACKED_OFF;
            work_queue_add_after(scheduler->later, entry->key, pause_ns);
        }
    }
    scheduler->changed_nodes.count = 0;
    scheduler->others_changed = false;
}

const char *scheduler_kin(const struct pod *pod)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    if (owner == NULL || !text_equal(owner->kind, "ReplicaSet"))
        return NULL;
    list_for_each (volume, &pod->spec.volumes)
        if (volume->persistent_volume_claim != NULL || volume->ephemeral != NULL)
            return NULL;
    return owner->uid;
}

static bool hint_helps(struct scheduler *scheduler, const struct pod *pod)
{
    if (scheduler->others_changed && filter_depends_on_others(pod))
        return true;
    vector_for_each (node, &scheduler->changed_nodes) {
        if (filter_might_fit(scheduler->cluster, pod, *node))
            return true;
    }
    return false;
}

static bool helps_like(struct scheduler *scheduler, const struct pod *pod, struct kin_answer *last)
{
    const char *kin = scheduler_kin(pod);
    if (kin == NULL)
        return hint_helps(scheduler, pod);
    if (last->kin == NULL || last->generation != pod->meta.generation ||
        strcmp(last->kin, kin) != 0)
        *last = (struct kin_answer){kin, pod->meta.generation, hint_helps(scheduler, pod)};
    return last->helps;
}

// --- the heap ------------------------------------------------------------------------------------

static bool goes_before(const struct scheduled_pod *a, const struct scheduled_pod *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->created != b->created)
        return a->created < b->created;
    return a->serial < b->serial;
}

static void place(struct scheduler *scheduler, uint32_t position, struct scheduled_pod *entry)
{
    scheduler->active.items[position] = entry;
    entry->position = position;
}

static void sift_up(struct scheduler *scheduler, uint32_t position)
{
    struct scheduled_pod *entry = scheduler->active.items[position];
    while (position > 0) {
        struct scheduled_pod *parent = scheduler->active.items[(position - 1) / 2];
        if (!goes_before(entry, parent))
            break;
        place(scheduler, position, parent);
        position = (position - 1) / 2;
    }
    place(scheduler, position, entry);
}

static void sift_down(struct scheduler *scheduler, uint32_t position)
{
    struct scheduled_pod *entry = scheduler->active.items[position];
    for (;;) {
        uint32_t child = 2 * position + 1;
        if (child >= scheduler->active.count)
            break;
        if (child + 1 < scheduler->active.count &&
            goes_before(scheduler->active.items[child + 1], scheduler->active.items[child]))
            child++;
        if (!goes_before(scheduler->active.items[child], entry))
            break;
        place(scheduler, position, scheduler->active.items[child]);
        position = child;
    }
    place(scheduler, position, entry);
}

static void heap_add(struct scheduler *scheduler, struct scheduled_pod *entry)
{
    vector_push(&scheduler->active, entry);
    entry->position = scheduler->active.count - 1;
    sift_up(scheduler, entry->position);
}

static void heap_remove(struct scheduler *scheduler, uint32_t position)
{
    assert(position < scheduler->active.count);
    struct scheduled_pod *entry = scheduler->active.items[position];
    struct scheduled_pod *last = scheduler->active.items[--scheduler->active.count];
    entry->position = UINT32_MAX;
    if (last == entry)
        return;
    place(scheduler, position, last);
    sift_up(scheduler, position);
    sift_down(scheduler, last->position);
}
