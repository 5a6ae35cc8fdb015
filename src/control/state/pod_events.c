#include "control/state/pod_events.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "model/reading/pod.h"
#include "reconcile/operations.h"

#define WINDOW_NS (10 * SECOND)
#define DELAY_NS  (2 * SECOND)  // one write covers a wave of pods
#define LAZY_NS   (30 * SECOND) // where consolidateAfter does not wait for it

struct last_event {     // of one NodeClaim
    int64_t at;         // wall clock, whole seconds
    int64_t written_ns; // monotonic; 0: not by this process
};

struct pod_events {
    struct control *control;
    struct reconcile_queue *queue;
    struct map *events; // by NodeClaim name
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

// consolidateAfter reads the time. Where it does not, the write can wait: half a minute of pods
// fits in one, and an emptying node is mostly gone before.
static int64_t delay_of(const struct pod_events *events, const struct node_claim *claim)
{
    const struct node_pool *pool = pool_of_claim(events->control, claim);
    const struct duration *after = pool != NULL ? &pool->spec.disruption.consolidate_after : NULL;
    bool waited_for = after == NULL || (after->text != NULL && after->nanoseconds > 0 &&
                                        after->nanoseconds != DURATION_NEVER);
    return waited_for || !events->control->strategy->delays_pod_events ? DELAY_NS : LAZY_NS;
}

int64_t pod_events_last(const struct pod_events *events, const struct node_claim *claim)
{
    const struct last_event *event = map_get(events->events, claim->meta.name);
    int64_t written = claim->status.last_pod_event_time;
    return event != NULL && event->at > written ? event->at : written;
}

static void note_event(struct pod_events *events, const struct pod *pod, int64_t at)
{
    const struct node *node = find_node(events->control, pod->spec.node_name);
    const struct node_claim *claim =
        node != NULL ? cluster_claim_of(events->control->cluster, node, NULL) : NULL;
    if (claim == NULL)
        return;
    struct last_event *event = map_ensure(events->events, claim->meta.name, sizeof *event);
    at = ns_truncate(at, SECOND);
    if (at > event->at)
        event->at = at;
    if (event->at > claim->status.last_pod_event_time)
        reconcile_queue_add_after(events->queue, claim->meta.name, delay_of(events, claim));
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct pod_events *events = context;
    const struct pod *before = (const struct pod *)old_object;
    const struct pod *pod = (const struct pod *)(new_object != NULL ? new_object : old_object);
    int64_t now = manager_now(&events->control->manager);
    if (pod->spec.node_name == NULL || pod_owned_by_daemon_set(pod))
        return;
    if (change == MIRROR_ADDED) {
        bool listing = !mirror_kind_synced(events->control->manager.mirror, KIND_POD);
        note_event(events, pod, listing ? pod_bound_at(pod) : now);
        return;
    }
    bool was_over = before != NULL && (pod_is_terminal(before) || before->meta.deletion_timestamp);
    bool is_over = new_object == NULL || pod_is_terminal(pod) || pod->meta.deletion_timestamp != 0;
    bool newly_bound = before != NULL && before->spec.node_name == NULL;
    if (newly_bound || (is_over && !was_over)) // a pod deleted without warning counts too (LIF-475)
        note_event(events, pod, now);
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct pod_events *events = context;
    (void)new_object;
    if (change != MIRROR_DELETED)
        return;
    free(map_remove(events->events, old_object->meta.name));
    reconcile_queue_forget(events->queue, old_object->meta.name);
}

struct pod_events *pod_events_create(struct control *control)
{
    struct pod_events *events = memory_allocate(sizeof *events);
    events->control = control;
    events->events = map_create();
    return events;
}

void pod_events_observe(struct pod_events *events)
{
    struct control *control = events->control;
    events->queue = manager_queue(&control->manager,
                                  &(struct reconcile_queue_options){.name = "nodeclaim.podevents",
                                                                    .kind = "NodeClaim",
                                                                    .concurrency = 10,
                                                                    .reconcile = reconcile,
                                                                    .context = events});
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, events);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, events);
}

void pod_events_destroy(struct pod_events *events)
{
    if (events == NULL)
        return;
    map_destroy(events->events, free);
    free(events);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct pod_events *events = context;
    struct control *control = events->control;
    (void)error;
    const struct node_claim *claim = find_claim(control, work_item_key(item));
    struct last_event *event = map_get(events->events, work_item_key(item));
    if (claim == NULL || event == NULL || object_is_deleting((const struct object *)claim) ||
        !managed_claim(control, claim) || event->at <= claim->status.last_pod_event_time)
        return reconcile_done();
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    if (event->written_ns != 0 && ns_subtract(now_ns, event->written_ns) < WINDOW_NS)
        return reconcile_after(ns_subtract(ns_add(event->written_ns, WINDOW_NS), now_ns));
    event->written_ns = now_ns;
    json_t *body = json_pack("{s:{s:o}}", "status", "lastPodEventTime", json_instant(event->at));
    return start_patch_status(&(struct operation_about){.manager = &control->manager,
                                                        .item = item,
                                                        .doing = "updating last pod event"},
                              (const struct object *)claim, body);
}
