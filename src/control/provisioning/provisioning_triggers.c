#include "control/provisioning/provisioning_triggers.h"

#include <assert.h>
#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/provisioning/batcher.h"
#include "control/provisioning/shortage_replans.h"
#include "control/provisioning/workload_bursts.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"

#define FIRST_PART_NS (2 * SECOND) // of a wave that comes slowly

enum next_batch { // start of the batch after the pass under way
    NEXT_WHEN_TRIGGERED,
    NEXT_AS_BATCH, // triggered meanwhile (SCH-15)
    NEXT_AT_ONCE,  // without waiting for more
};

struct provisioning_triggers {
    struct provisioning_triggers_options options;
    struct batcher batcher;
    bool held; // a pass is under way
    enum next_batch next;
    bool has_fresh_pods; // in the open batch or the next one: pods without a decision
    bool replans;        // the same: pods of launches without capacity
};

// A wave that comes slowly is planned in parts. Each lasts as long as the wave has lasted before:
// the first nodes come soon, and later parts are large enough for good plans.
static int64_t part_of_slow_wave(const struct provisioning_triggers *triggers)
{
    int64_t begun_ns = workload_bursts_begun_ns(triggers->options.bursts);
    int64_t part_ns = ns_maximum(ns_subtract(triggers->batcher.opened_ns, begun_ns), FIRST_PART_NS);
    return ns_minimum(part_ns, triggers->options.control->manager.settings->batch_max_duration);
}

static struct batcher_window window_of(const struct provisioning_triggers *triggers)
{
    const struct control *control = triggers->options.control;
    const struct settings *settings = control->manager.settings;
    struct workload_bursts *bursts = triggers->options.bursts;
    bool is_wave = bursts != NULL && triggers->has_fresh_pods;
    if (is_wave && workload_bursts_is_slow(bursts))
        return (struct batcher_window){.idle_ns = settings->batch_idle_duration,
                                       .max_ns = part_of_slow_wave(triggers)};
    return (struct batcher_window){.idle_ns = settings->batch_idle_duration,
                                   .max_ns = settings->batch_max_duration,
                                   .early = control->strategy->anticipates_pods,
                                   .finished = is_wave && workload_bursts_finished(bursts),
                                   .settled_ns = is_wave ? workload_bursts_settled_at(bursts) : 0};
}

static void queue_batch(struct provisioning_triggers *triggers, const struct batcher_window *window)
{
    int64_t now = loop_monotonic_ns(triggers->options.control->manager.loop);
    reconcile_queue_add_after(triggers->options.queue, triggers->options.key,
                              ns_subtract(batcher_due(&triggers->batcher, window), now));
}

// A wave may be complete: then the batch closes at once (SCH-527).
static void on_wave(void *context)
{
    struct provisioning_triggers *triggers = context;
    if (triggers->held || !triggers->batcher.open)
        return;
    struct batcher_window window = window_of(triggers);
    if (window.finished)
        queue_batch(triggers, &window);
}

void provisioning_triggers_fire(struct provisioning_triggers *triggers, const char *uid)
{
    if (triggers->held) {
        if (triggers->next == NEXT_WHEN_TRIGGERED)
            triggers->next = NEXT_AS_BATCH;
        return;
    }
    int64_t now = loop_monotonic_ns(triggers->options.control->manager.loop);
    bool was_open = triggers->batcher.open;
    if (!batcher_trigger(&triggers->batcher, uid, now))
        return;
    if (was_open) { // it looks at its own window when its timer fires
        on_wave(triggers);
        return;
    }
    struct batcher_window window = window_of(triggers);
    queue_batch(triggers, &window);
}

void provisioning_triggers_open(struct provisioning_triggers *triggers, int64_t now_ns)
{
    assert(!triggers->held);
    batcher_trigger(&triggers->batcher, triggers->options.key, now_ns);
}

void provisioning_triggers_expect_fresh(struct provisioning_triggers *triggers)
{
    triggers->has_fresh_pods = true;
}

bool provisioning_triggers_is_open(const struct provisioning_triggers *triggers)
{
    return triggers->batcher.open;
}

int64_t provisioning_triggers_due(const struct provisioning_triggers *triggers)
{
    assert(triggers->batcher.open);
    if (triggers->next == NEXT_AT_ONCE)
        return 0;
    struct batcher_window window = window_of(triggers);
    return batcher_due(&triggers->batcher, &window);
}

bool provisioning_triggers_close(struct provisioning_triggers *triggers, int64_t now_ns)
{
    assert(triggers->batcher.open);
    assert(!triggers->held);
    struct batcher_window window = window_of(triggers);
    // No wave arrives: all of these pods are there.
    window.early = window.early && (triggers->has_fresh_pods || !triggers->replans);
    triggers->has_fresh_pods = triggers->replans = false;
    triggers->next = NEXT_WHEN_TRIGGERED;
    return batcher_close(&triggers->batcher, &window, now_ns);
}

void provisioning_triggers_hold(struct provisioning_triggers *triggers)
{
    assert(!triggers->held);
    assert(!triggers->batcher.open);
    triggers->held = true;
}

void provisioning_triggers_follow(struct provisioning_triggers *triggers)
{
    assert(triggers->held);
    triggers->next = NEXT_AT_ONCE;
}

void provisioning_triggers_release(struct provisioning_triggers *triggers, int64_t now_ns)
{
    assert(triggers->held);
    triggers->held = false;
    if (triggers->next != NEXT_WHEN_TRIGGERED)
        provisioning_triggers_open(triggers, now_ns);
    if (triggers->next == NEXT_AS_BATCH)
        triggers->next = NEXT_WHEN_TRIGGERED;
}

// --- triggers ------------------------------------------------------------------------------------
static void on_wake(void *context, const char *uid)
{
    provisioning_triggers_fire(context, uid);
}

// Pods that kube-scheduler has not examined yet count as well, since that may take a minute.
static bool is_unexamined(const struct provisioning_triggers *triggers, const struct pod *pod)
{
    return triggers->options.bursts != NULL && pod_is_unexamined(pod) &&
           !pod_owned_by_daemon_set(pod) && !pod_owned_by_node(pod);
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct provisioning_triggers *triggers = context;
    const struct provisioning_triggers_options *options = &triggers->options;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    const char *uid = (new_object != NULL ? new_object : old_object)->meta.uid;
    if (uid == NULL)
        return;
    if (pod == NULL || pod->spec.node_name != NULL) {
        acknowledged_pods_remove(options->pods, uid);
        shortage_replans_forget(options->shortages, uid);
        return;
    }
    if (!(pod_needs_node(pod) || is_unexamined(triggers, pod)) ||
        cluster_is_planned(options->control->cluster, pod))
        return;
    if (acknowledged_pods_add(options->pods, uid) && options->bursts != NULL) {
        triggers->has_fresh_pods = true;
        if (!workload_bursts_account_for(pod))
            workload_bursts_note_loose(options->bursts);
    }
    provisioning_triggers_fire(triggers, uid);
}

// The pods of a deleted node need new places.
static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    const struct node *before = (const struct node *)old_object;
    const struct node *node = (const struct node *)new_object;
    (void)change;
    if (node == NULL || node->meta.uid == NULL)
        return;
    if (find_taint(&node->spec.taints, TAINT_DISRUPTED, "NoSchedule") != NULL &&
        (before == NULL || find_taint(&before->spec.taints, TAINT_DISRUPTED, "NoSchedule") == NULL))
        provisioning_triggers_fire(context, node->meta.uid);
}

// AWI-929: the batch closes in this moment.
static void replan(struct provisioning_triggers *triggers, const char *uid)
{
    provisioning_triggers_fire(triggers, uid);
    triggers->next = NEXT_AT_ONCE;
    triggers->replans = true;
    if (!triggers->held)
        reconcile_queue_add(triggers->options.queue, triggers->options.key);
}

// A NodeClaim that ends before its initialization leaves its pods without a plan.
static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct provisioning_triggers *triggers = context;
    const struct object *claim = new_object != NULL ? new_object : old_object;
    bool ends = new_object == NULL || object_is_deleting(new_object);
    bool initialized = condition_is_true(&((const struct node_claim *)claim)->status.conditions,
                                         CONDITION_INITIALIZED);
    bool replans = change == MIRROR_DELETED &&
                   shortage_replans_ended(triggers->options.shortages, claim->meta.uid);
    if (!ends || initialized || claim->meta.uid == NULL ||
        cluster_provisionable(triggers->options.control->cluster)->count == 0)
        return;
    if (replans)
        replan(triggers, claim->meta.uid);
    else
        provisioning_triggers_fire(triggers, claim->meta.uid);
}

bool pool_is_ready(const struct object *pool)
{
    return pool != NULL &&
           condition_is_true(&((const struct node_pool *)pool)->status.conditions, CONDITION_READY);
}

// Pods without a pool need not wait for the periodic pass.
static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct provisioning_triggers *triggers = context;
    (void)change;
    if (pool_is_ready(new_object) && !pool_is_ready(old_object) && new_object->meta.uid != NULL &&
        cluster_provisionable(triggers->options.control->cluster)->count > 0)
        provisioning_triggers_fire(triggers, new_object->meta.uid);
}

struct provisioning_triggers *provisioning_triggers_create(
    const struct provisioning_triggers_options *options)
{
    struct control *control = options->control;
    struct mirror *mirror = control->manager.mirror;
    struct provisioning_triggers *triggers = memory_allocate(sizeof *triggers);
    triggers->options = *options;
    batcher_init(&triggers->batcher);
    if (options->bursts != NULL)
        workload_bursts_on_change(options->bursts, on_wave, triggers);
    mirror_on_change(mirror, KIND_POD, on_pod, triggers);
    mirror_on_change(mirror, KIND_NODE, on_node, triggers);
    mirror_on_change(mirror, KIND_NODE_CLAIM, on_claim, triggers);
    mirror_on_change(mirror, KIND_NODE_POOL, on_pool, triggers);
    wake_register(&control->manager, WAKE_PROVISIONER, on_wake, triggers);
    return triggers;
}

void provisioning_triggers_destroy(struct provisioning_triggers *triggers)
{
    wake_register(&triggers->options.control->manager, WAKE_PROVISIONER, NULL, NULL);
    if (triggers->options.bursts != NULL)
        workload_bursts_on_change(triggers->options.bursts, NULL, NULL);
    batcher_free(&triggers->batcher);
    free(triggers);
}
