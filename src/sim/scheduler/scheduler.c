#include "sim/scheduler/scheduler.h"

#include <stdlib.h>

#include "model/reading/pod.h"
#include "sim/scheduler/scheduler_cycle.h"
#include "sim/scheduler/scheduler_events.h"
#include "sim/scheduler/scheduler_nominations.h"
#include "sim/scheduler/scheduler_outcomes.h"
#include "sim/scheduler/scheduler_queue.h"

struct scheduler *scheduler_create(struct world *world)
{
    struct scheduler *scheduler = memory_allocate(sizeof *scheduler);
    const struct world_options *options = &world->options;
    scheduler->world = world;
    scheduler->cluster = filter_cluster_create();
    scheduler->entries = map_create();
    scheduler->bindings_under_way = map_create();
    scheduler->cycle = timer_create_on(world->loop, scheduler_run_cycle, scheduler);
    scheduler->backoff_over = timer_create_on(world->loop, scheduler_end_backoffs, scheduler);
    scheduler->active.before = scheduler_goes_before;
    scheduler->backed_off.before = scheduler_backs_off_before;
    scheduler->later = work_queue_create(world->loop, 0, scheduler_take_waiting, scheduler);
    scheduler->hints = work_queue_create(world->loop, options->controller_delay_ns,
                                         scheduler_use_hints, scheduler);
    scheduler->bindings = work_queue_create(world->loop, options->controller_delay_ns,
                                            scheduler_check_binding, scheduler);
    return scheduler;
}

static void destroy_entry(void *value)
{
    struct scheduled_pod *entry = value;
    free(entry->key);
    free(entry->node);
    free(entry);
}

void scheduler_destroy(struct scheduler *scheduler)
{
    timer_destroy(scheduler->cycle);
    timer_destroy(scheduler->backoff_over);
    work_queue_destroy(scheduler->later);
    work_queue_destroy(scheduler->hints);
    work_queue_destroy(scheduler->bindings);
    map_destroy(scheduler->bindings_under_way, NULL);
    map_destroy(scheduler->entries, destroy_entry);
    vector_free(&scheduler->active.items);
    vector_free(&scheduler->backed_off.items);
    vector_free(&scheduler->node_events);
    json_decref(scheduler->leaving);
    scheduler_forget_failures(scheduler);
    filter_cluster_destroy(scheduler->cluster);
    free(scheduler);
}

// --- changes -------------------------------------------------------------------------------------

static void pod_enters(struct scheduler *scheduler, struct world_object *object,
                       const json_t *before);
static void pod_leaves_for_good(struct scheduler *scheduler, struct world_object *object);
static bool matters_to_others(const json_t *before, const json_t *after);
static uint32_t node_changes(const json_t *before, const json_t *after);

// Pods without a node do not affect others, unless they are nominated to one.
static void note_change(struct scheduler *scheduler, const struct world_object *object)
{
    if (!world_is(object, KIND_POD) || object->on_node != NULL ||
        filter_nomination(object->pod) != NULL)
        scheduler->version++;
}

// The pod is no longer nominated to that node: others may go there. The end of its nomination does
// not bring its own attempts forward.
static void nomination_ends(struct scheduler *scheduler, const char *node_name)
{
    if (filter_node_find(scheduler->cluster, node_name) != FILTER_NODE_NONE)
        scheduler_event(scheduler, EVENT_POD_LEFT);
}

void scheduler_leave(void *part, struct world_object *object)
{
    struct scheduler *scheduler = part;
    if (object->typed == NULL)
        return;
    note_change(scheduler, object);
    if (!object->gone) {
        json_decref(scheduler->leaving);
        scheduler->leaving = json_incref(object->json);
        return;
    }
    filter_cluster_remove(scheduler->cluster, object->typed);
    if (world_is(object, KIND_POD))
        pod_leaves_for_good(scheduler, object);
    else
        scheduler_event(scheduler,
                        world_is(object, KIND_NODE) ? EVENT_NODE_GONE : EVENT_OTHER_CHANGED);
    if (world_is(object, KIND_NODE) || world_is(object, KIND_PERSISTENT_VOLUME_CLAIM))
        scheduler_look_at_bindings(scheduler);
}

void scheduler_enter(void *part, struct world_object *object)
{
    struct scheduler *scheduler = part;
    json_t *before = scheduler->leaving;
    scheduler->leaving = NULL;
    if (object->typed != NULL)
        note_change(scheduler, object);
    if (object->typed != NULL && world_is(object, KIND_POD)) {
        pod_enters(scheduler, object, before);
        if (object->on_node != NULL && matters_to_others(before, object->json))
            scheduler_event(scheduler, EVENT_POD_CAME);
    } else if (object->typed != NULL) {
        filter_cluster_put(scheduler->cluster, object->typed);
        if (world_is(object, KIND_NODE)) {
            scheduler_node_event(scheduler, filter_node_find(scheduler->cluster, object->name),
                                 node_changes(before, object->json));
        } else if (!world_is(object, KIND_POD_DISRUPTION_BUDGET)) {
            scheduler_event(scheduler, EVENT_OTHER_CHANGED);
        }
        if (world_is(object, KIND_PERSISTENT_VOLUME_CLAIM))
            scheduler_look_at_bindings(scheduler);
    }
    json_decref(before);
}

static bool same_at(const json_t *before, const json_t *after, const char *path)
{
    const json_t *old = store_path(before, path), *new = store_path(after, path);
    return old == new || json_equal(old, new);
}

// A pod is new on a node, or its labels have changed.
static bool matters_to_others(const json_t *before, const json_t *after)
{
    return before == NULL || !same_at(before, after, "spec.nodeName") ||
           !same_at(before, after, "metadata.labels");
}

static uint32_t node_changes(const json_t *before, const json_t *after)
{
    static const struct {
        const char *path;
        enum scheduler_event event;
    } parts[] = {{"metadata.labels", EVENT_NODE_LABELS},
                 {"spec.taints", EVENT_NODE_TAINTS},
                 {"spec.unschedulable", EVENT_NODE_TAINTS},
                 {"status.allocatable", EVENT_NODE_ALLOCATABLE}};
    uint32_t events = before == NULL ? EVENT_NODE_ADDED : 0;
    for (size_t i = 0; before != NULL && i < ARRAY_LENGTH(parts); i++)
        if (!same_at(before, after, parts[i].path))
            events |= parts[i].event;
    return events;
}

static bool is_ours(const struct world_object *object)
{
    const struct pod *pod = object->pod;
    return (pod->spec.node_name == NULL || pod->spec.node_name[0] == '\0') &&
           pod->meta.deletion_timestamp == 0 && !pod_is_terminal(pod) &&
           pod_is_of_kube_scheduler(pod);
}

static void pod_enters(struct scheduler *scheduler, struct world_object *object,
                       const json_t *before)
{
    struct scheduled_pod *entry = map_get(scheduler->entries, object->key);
    bool ours = is_ours(object);
    if (ours && entry != NULL && entry->state == POD_BINDING) {
        filter_cluster_assume(scheduler->cluster, object->pod, entry->node);
        scheduler->version++;
        return;
    }
    filter_cluster_put(scheduler->cluster, object->typed);
    const char *expected = world_text(before, "status.nominatedNodeName");
    if (ours && expected != NULL && expected[0] != '\0' &&
        !text_equal(expected, filter_nomination(object->pod)))
        nomination_ends(scheduler, expected);
    if (!ours) {
        if (entry != NULL)
            scheduler_forget(scheduler, entry);
        if (object->on_node != NULL && pod_is_terminal(object->pod))
            scheduler_event(scheduler, EVENT_POD_LEFT);
        return;
    }
    if (entry == NULL) {
        entry = memory_allocate(sizeof *entry);
        *entry = (struct scheduled_pod){.key = memory_copy_string(object->key),
                                        .object = object,
                                        .serial = object->serial,
                                        .position = UINT32_MAX,
                                        .priority = object->pod->spec.priority.value,
                                        .queued_at = loop_monotonic_ns(scheduler->world->loop)};
        map_set(scheduler->entries, entry->key, entry);
        scheduler_activate(scheduler, entry);
    } else if (before == NULL || !json_equal(json_object_get(before, "spec"),
                                             json_object_get(object->json, "spec"))) {
        scheduler_requeue(scheduler, entry);
    }
}

static void pod_leaves_for_good(struct scheduler *scheduler, struct world_object *object)
{
    struct scheduled_pod *entry = map_get(scheduler->entries, object->key);
    if (entry != NULL && entry->state == POD_BINDING)
        scheduler_event(scheduler, EVENT_POD_LEFT);
    if (entry != NULL)
        scheduler_forget(scheduler, entry);
    if (object->on_node == NULL && filter_nomination(object->pod) != NULL)
        nomination_ends(scheduler, filter_nomination(object->pod));
    if (object->on_node != NULL && !pod_is_terminal(object->pod))
        scheduler_event(scheduler, EVENT_POD_LEFT);
}
