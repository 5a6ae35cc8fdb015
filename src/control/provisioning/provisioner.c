#include "control/provisioning/provisioner.h"

#include <stdlib.h>
#include <string.h>

#include "base/metrics_text.h"
#include "base/nanoseconds.h"
#include "control/buffers/capacity_buffers.h"
#include "control/launch/claim_creation.h"
#include "control/launch/launch_attempts.h"
#include "control/launch/launch_backoff.h"
#include "control/nomination/nominator.h"
#include "control/provisioning/batcher.h"
#include "control/provisioning/preference_warnings.h"
#include "control/provisioning/provisioning_pass.h"
#include "control/provisioning/snapshot_builder.h"
#include "control/provisioning/wave_report.h"
#include "control/provisioning/workload_bursts.h"
#include "control/runtime/control.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/cluster_sync.h"
#include "control/state/decision_inputs.h"
#include "control/state/pod_metrics.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"
#include "reconcile/operations.h"

#define KEY            "provisioner"
#define LEFT_OVER      "left-over" // the key under which pods are waited for that lost their place
#define LEFT_OVER_NS   (200 * MILLISECOND)
#define REPEAT_NS      (10 * SECOND) // SCH-11
#define UNSYNCED_NS    (SECOND / 10)
#define AFTER_ERROR_NS SECOND
#define NEW_POOL_NS    (2 * SECOND) // the readiness of a new NodePool is settled by then

enum phase { PHASE_IDLE, PHASE_PLANNING, PHASE_PLANNED, PHASE_CREATING };

struct planning_job { // a plan on a worker thread; outlives the provisioner if it must
    struct provisioner *provisioner; // NULL: nobody waits any more
    struct provisioning_pass *pass;
};

struct provisioner {
    struct control *control;
    struct provisioner_parts parts;
    struct preference_warnings *preference_warnings;
    struct reconcile_queue *queue;
    struct batcher batcher;
    struct map *acknowledged; // pod UID -> struct acknowledgement
    enum phase phase;
    struct provisioning_pass *pass;
    struct planning_job *job;
    // The last pass, if it decided that nothing new is needed, and what it was decided upon: as
    // long as that stays the same, so does the answer (SCH-526).
    struct provisioning_pass *known;
    struct decision_inputs *inputs;
    uint64_t pass_version, known_version;
    bool pass_failed, deferred_trigger;
    bool has_fresh_pods; // in the open batch or for the next one: pods that no pass has seen
    // A backlog that is too large for one pass is planned in several, right after each other: a
    // round has every pod once. Who found no place before the others had theirs is not told so, but
    // tried again in the next round.
    uint32_t round;
    bool goes_on, has_hushed;
    int64_t repeat_at_ns;       // 0: nothing to repeat
    int64_t left_over_until_ns; // pods wait until then for the others to be bound; 0: none does
    char scheduling_id[37];     // of the present or last pass (SCH-58)
};

struct acknowledgement { // SCH-12
    int64_t seen_ns;
    uint32_t round; // the last that had the pod
    bool decided, was_hushed;
};

struct pass_creation { // one create call
    struct claim_creation creation;
    struct provisioner *provisioner;
    uint32_t index; // of the plan's claim
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static struct batcher_window window_of(const struct provisioner *provisioner)
{
    const struct settings *settings = provisioner->control->manager.settings;
    struct workload_bursts *waves = provisioner->parts.sources.bursts;
    bool is_wave = waves != NULL && provisioner->has_fresh_pods;
    return (struct batcher_window){.idle_ns = settings->batch_idle_duration,
                                   .max_ns = settings->batch_max_duration,
                                   .early = provisioner->control->strategy->anticipates_pods,
                                   .finished = is_wave && workload_bursts_finished(waves),
                                   .settled_ns = is_wave ? workload_bursts_settled_at(waves) : 0};
}

// A wave may have finished: the batch need not wait any longer (SCH-527).
static void on_wave(void *context)
{
    struct provisioner *provisioner = context;
    if (provisioner->phase != PHASE_IDLE || !provisioner->batcher.open)
        return;
    struct batcher_window window = window_of(provisioner);
    int64_t now = loop_monotonic_ns(provisioner->control->manager.loop);
    if (window.finished)
        reconcile_queue_add_after(provisioner->queue, KEY,
                                  ns_subtract(batcher_due(&provisioner->batcher, &window), now));
}

static void trigger(struct provisioner *provisioner, const char *uid)
{
    if (provisioner->phase != PHASE_IDLE) {
        provisioner->deferred_trigger = true; // SCH-15
        return;
    }
    int64_t now = loop_monotonic_ns(provisioner->control->manager.loop);
    bool was_open = provisioner->batcher.open;
    if (!batcher_trigger(&provisioner->batcher, uid, now))
        return;
    if (was_open) { // it looks at its own window when its timer fires
        on_wave(provisioner);
        return;
    }
    struct batcher_window window = window_of(provisioner);
    reconcile_queue_add_after(provisioner->queue, KEY,
                              ns_subtract(batcher_due(&provisioner->batcher, &window), now));
}

static void on_wake(void *context, const char *uid)
{
    trigger(context, uid);
}

static void on_inputs(void *context, const char *key)
{
    struct provisioner *provisioner = context;
    (void)key;
    decision_inputs_touch(provisioner->inputs);
}

bool provisioner_is_idle(const struct provisioner *provisioner)
{
    return provisioner->phase == PHASE_IDLE && !provisioner->batcher.open;
}

static const struct acknowledgement *acknowledge(struct provisioner *provisioner, const char *uid)
{
    struct acknowledgement *entry = map_get(provisioner->acknowledged, uid);
    if (entry != NULL)
        return entry;
    entry = memory_allocate(sizeof *entry);
    entry->seen_ns = loop_monotonic_ns(provisioner->control->manager.loop);
    map_set(provisioner->acknowledged, uid, entry);
    return entry;
}

// Pods that kube-scheduler has not examined yet count as well; it may take its time.
static bool is_unexamined(const struct provisioner *provisioner, const struct pod *pod)
{
    return provisioner->parts.sources.bursts != NULL && pod_is_unexamined(pod) &&
           !pod_owned_by_daemon_set(pod) && !pod_owned_by_node(pod);
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct provisioner *provisioner = context;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    const char *uid = (new_object != NULL ? new_object : old_object)->meta.uid;
    if (uid == NULL)
        return;
    if (pod == NULL || pod->spec.node_name != NULL) {
        free(map_remove(provisioner->acknowledged, uid));
        if (pod != NULL && provisioner->parts.sources.bursts != NULL)
            reconcile_queue_add_after(provisioner->queue, LEFT_OVER, LEFT_OVER_NS);
        return;
    }
    if (!(pod_wants_node(pod) || is_unexamined(provisioner, pod)) ||
        cluster_is_spoken_for(provisioner->control->cluster, pod))
        return;
    if (!acknowledge(provisioner, uid)->decided && provisioner->parts.sources.bursts != NULL) {
        provisioner->has_fresh_pods = true;
        if (!workload_bursts_account_for(pod))
            workload_bursts_note_loose(provisioner->parts.sources.bursts);
    }
    trigger(provisioner, uid);
}

// A node under removal whose pods need a new place.
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
        trigger(context, node->meta.uid);
}

// A NodeClaim that goes before it was initialized leaves its pods without a plan.
static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct provisioner *provisioner = context;
    const struct object *claim = new_object != NULL ? new_object : old_object;
    bool ends = new_object == NULL || object_is_deleting(new_object);
    bool initialized = condition_is_true(&((const struct node_claim *)claim)->status.conditions,
                                         CONDITION_INITIALIZED);
    (void)change;
    if (ends && !initialized && claim->meta.uid != NULL &&
        cluster_provisionable(provisioner->control->cluster)->count > 0)
        trigger(provisioner, claim->meta.uid);
}

static bool pool_is_ready(const struct object *pool)
{
    return pool != NULL &&
           condition_is_true(&((const struct node_pool *)pool)->status.conditions, CONDITION_READY);
}

// Pods that found no pool need not wait for the next repetition.
static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct provisioner *provisioner = context;
    (void)change;
    if (pool_is_ready(new_object) && !pool_is_ready(old_object) && new_object->meta.uid != NULL &&
        cluster_provisionable(provisioner->control->cluster)->count > 0)
        trigger(provisioner, new_object->meta.uid);
}

// SCH-397: while a pass is being planned.
static void collect_unfinished(void *context, const struct metric *metric, struct text *out)
{
    const struct provisioner *provisioner = context;
    if (provisioner->phase != PHASE_PLANNING)
        return;
    const char *const values[] = {"provisioner", provisioner->scheduling_id};
    int64_t now = loop_monotonic_ns(provisioner->control->manager.loop);
    metric_emit(metric, out, (double)ns_subtract(now, provisioner->pass->started_ns) / SECOND,
                values, ARRAY_LENGTH(values));
}

struct provisioner *provisioner_create(struct control *control,
                                       const struct provisioner_parts *parts)
{
    struct provisioner *provisioner = memory_allocate(sizeof *provisioner);
    provisioner->control = control;
    provisioner->parts = *parts;
    provisioner->round = 1;
    provisioner->acknowledged = map_create();
    batcher_init(&provisioner->batcher);
    provisioner->queue =
        manager_queue(&control->manager, &(struct reconcile_queue_options){.name = "provisioner",
                                                                           .reconcile = reconcile,
                                                                           .context = provisioner});
    metric_collect(control->metrics.unfinished_seconds, collect_unfinished, provisioner);
    provisioner->inputs = decision_inputs_create(control);
    provisioner->preference_warnings = preference_warnings_create(control);
    if (parts->sources.bursts != NULL)
        workload_bursts_on_change(parts->sources.bursts, on_wave, provisioner);
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, provisioner);
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, provisioner);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, provisioner);
    mirror_on_change(control->manager.mirror, KIND_NODE_POOL, on_pool, provisioner);
    wake_register(&control->manager, WAKE_PROVISIONER, on_wake, provisioner);
    wake_register(&control->manager, WAKE_PROVISIONING_INPUTS, on_inputs, provisioner);
    return provisioner;
}

void provisioner_destroy(struct provisioner *provisioner)
{
    if (provisioner == NULL)
        return;
    if (provisioner->job != NULL)
        provisioner->job->provisioner = NULL; // frees itself and its pass when it is done
    else
        provisioning_pass_destroy(provisioner->pass);
    metric_collect(provisioner->control->metrics.unfinished_seconds, NULL, NULL);
    batcher_free(&provisioner->batcher);
    wake_register(&provisioner->control->manager, WAKE_PROVISIONER, NULL, NULL);
    wake_register(&provisioner->control->manager, WAKE_PROVISIONING_INPUTS, NULL, NULL);
    if (provisioner->parts.sources.bursts != NULL)
        workload_bursts_on_change(provisioner->parts.sources.bursts, NULL, NULL);
    provisioning_pass_destroy(provisioner->known);
    decision_inputs_destroy(provisioner->inputs);
    preference_warnings_destroy(provisioner->preference_warnings);
    map_destroy(provisioner->acknowledged, free);
    free(provisioner);
}

// --- planning ------------------------------------------------------------------------------------
static void job_work(void *context)
{
    provisioning_pass_plan(((struct planning_job *)context)->pass);
}

static void job_done(void *context)
{
    struct planning_job *job = context;
    struct provisioner *provisioner = job->provisioner;
    if (provisioner == NULL) {
        provisioning_pass_destroy(job->pass);
        free(job);
        return;
    }
    provisioner->job = NULL;
    provisioner->phase = PHASE_PLANNED;
    provisioner->pass->planned_ns = loop_monotonic_ns(provisioner->control->manager.loop);
    metric_set(provisioner->control->metrics.queue_depth, 0, "provisioner",
               provisioner->scheduling_id);
    free(job);
    reconcile_queue_add(provisioner->queue, KEY);
}

static bool has_work(const struct provisioner *provisioner)
{
    struct cluster *cluster = provisioner->control->cluster;
    const struct pod_list *pods = cluster_provisionable(cluster);
    for (uint32_t i = 0; i < pods->count; i++)
        if (!cluster_is_spoken_for(cluster, pods->items[i]))
            return true;
    return deleting_nodes_have_pods(provisioner->control);
}

// Pods that the pass has to find a place for. The engine works through them in one go: all, then
// none.
static double queue_depth(const struct provisioner *provisioner)
{
    struct cluster *cluster = provisioner->control->cluster;
    const struct pod_list *pods = cluster_provisionable(cluster);
    uint32_t depth = 0;
    for (uint32_t i = 0; i < pods->count; i++)
        depth += !cluster_is_spoken_for(cluster, pods->items[i]);
    return depth;
}

static void forget_known(struct provisioner *provisioner)
{
    provisioning_pass_destroy(provisioner->known);
    provisioner->known = NULL;
}

static struct acknowledgement *acknowledgement_of(const struct provisioner *provisioner,
                                                  const struct pod *pod)
{
    return pod->meta.uid != NULL ? map_get(provisioner->acknowledged, pod->meta.uid) : NULL;
}

static bool was_tried(void *context, const struct pod *pod)
{
    const struct provisioner *provisioner = context;
    const struct acknowledgement *entry = acknowledgement_of(provisioner, pod);
    return entry != NULL && entry->round == provisioner->round;
}

static void mark_tried(const struct provisioner *provisioner)
{
    const struct snapshot *snapshot = provisioner->pass->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        struct acknowledgement *entry = acknowledgement_of(
            provisioner, (const struct pod *)snapshot->objects[KIND_POD].items[i]);
        if (entry != NULL)
            entry->round = provisioner->round;
    }
}

static struct reconcile_result start_pass(struct provisioner *provisioner, bool early)
{
    const struct control *control = provisioner->control;
    provisioner->pass = provisioning_pass_create(
        &(struct provisioning_pass_parts){.sources = provisioner->parts.sources,
                                          .preference_warnings = provisioner->preference_warnings,
                                          .target_report = provisioner->parts.target_report},
        &(struct backlog_chunk_options){
            .pods_max = control->strategy->plans_in_chunks ? control->pass_pods_max : 0,
            .was_tried = was_tried,
            .context = provisioner});
    provisioner->pass_version = decision_inputs_version(provisioner->inputs);
    forget_known(provisioner);
    mark_tried(provisioner);
    provisioner->pass->early = early;
    provisioner->phase = PHASE_PLANNING;
    provisioner->pass_failed = false;
    log_debug("computing scheduling decision for provisionable pod(s)", "s:controller",
              "provisioner", "i:pending-pods",
              (int64_t)cluster_provisionable(provisioner->control->cluster)->count);
    struct metric *depth = provisioner->control->metrics.queue_depth;
    metric_remove_all(depth);
    random_uuid(&provisioner->control->manager.random, provisioner->scheduling_id);
    metric_set(depth, queue_depth(provisioner), "provisioner", provisioner->scheduling_id);
    struct planning_job *job = memory_allocate(sizeof *job);
    *job = (struct planning_job){provisioner, provisioner->pass};
    provisioner->job = job;
    loop_offload(provisioner->control->manager.loop, job_work, job_done, job);
    return reconcile_done();
}

// --- creating ------------------------------------------------------------------------------------
static enum operation_outcome note_created(void *context, const char *key, enum claim_answer answer,
                                           const struct kube_result *result)
{
    const struct pass_creation *call = context;
    struct provisioner *provisioner = call->provisioner;
    (void)key;
    if (answer == CLAIM_CREATED) {
        provisioning_pass_created(provisioner->pass, call->index,
                                  (const struct node_claim *)result->object);
        return OPERATION_NOTED;
    }
    if (answer == CLAIM_EXISTS || answer == CLAIM_UNANSWERED)
        provisioning_pass_uncertain(provisioner->pass, call->index);
    provisioner->pass_failed = true;
    struct error error = result->error;
    error_prefix(&error, "creating node claim");
    log_error("Reconciler error", "s:controller", "provisioner", "s:error", error.message);
    return OPERATION_NOTED;
}

static void create_one(struct provisioner *provisioner, struct work_item *item, uint32_t index,
                       json_t *body)
{
    const struct creation_round *round = provisioner->pass->round;
    const struct plan_claim *planned = &provisioner->pass->plan->claims.items[round->first + index];
    struct pass_creation *call = arena_allocate(round->arena, sizeof *call);
    call->provisioner = provisioner;
    call->index = round->first + index;
    call->creation = (struct claim_creation){.control = provisioner->control,
                                             .controller = "provisioner",
                                             .reason = "provisioned",
                                             .pool = planned->node_pool->meta.name,
                                             .name = round->names[index],
                                             .min_values_relaxed = planned->min_values_relaxed,
                                             .requests = &planned->requests,
                                             .types = &round->types[index],
                                             .answered = note_created,
                                             .context = call};
    claim_creation_start(&call->creation,
                         &(struct operation_about){.manager = &provisioner->control->manager,
                                                   .item = item,
                                                   .doing = "creating node claim"},
                         body);
}

// Time matters to pods on nodes that go (SCH-23), and to nothing else in such a pass.
static bool is_known_for_good(const struct provisioner *provisioner)
{
    const struct provisioning_pass *pass = provisioner->pass;
    return provisioner->control->strategy->remembers_answers && !provisioner->pass_failed &&
           pass->plan != NULL && pass->plan->claims.count == 0 && pass->errors.data == NULL &&
           !pass->early && !pass->rest && pass->left_out == 0 &&
           pass->snapshot->marked_for_deletion.count == 0;
}

static struct reconcile_result end_pass(struct provisioner *provisioner)
{
    cluster_seat_pods(provisioner->control->cluster);
    nominator_wake(provisioner->parts.nominator);
    wave_report_pass(provisioner->parts.wave_report, provisioner->pass);
    uint32_t held_back = provisioner->pass->held_back;
    if (held_back > 0)
        log_debug("holding back nodeclaims of offerings that are on trial", "s:controller",
                  "provisioner", "i:nodeclaims", (int64_t)held_back);
    if (is_known_for_good(provisioner)) {
        provisioner->known = provisioner->pass;
        provisioner->known_version = provisioner->pass_version;
    } else {
        provisioning_pass_destroy(provisioner->pass);
    }
    provisioner->pass = NULL;
    provisioner->phase = PHASE_IDLE;
    int64_t now = loop_monotonic_ns(provisioner->control->manager.loop);
    provisioner->deferred_trigger = provisioner->deferred_trigger || held_back > 0;
    provisioner->repeat_at_ns = ns_add(now, provisioner->pass_failed ? AFTER_ERROR_NS : REPEAT_NS);
    if (provisioner->deferred_trigger || provisioner->goes_on)
        batcher_trigger(&provisioner->batcher, KEY, now);
    provisioner->deferred_trigger = false;
    return reconcile_after(0);
}

// What fails is not tried by many at a time (LIF-440): the pods of those that are held back are
// planned anew, without it.
static uint32_t create_round(struct provisioner *provisioner, struct work_item *item)
{
    struct provisioning_pass *pass = provisioner->pass;
    struct control *control = provisioner->control;
    const struct creation_round *round = pass->round;
    uint32_t started = 0;
    for (uint32_t i = 0; i < round->count; i++) {
        if (round->names[i] == NULL)
            continue;
        json_t *body = node_claim_body(control, &pass->plan->claims.items[round->first + i],
                                       &round->types[i], round->names[i]);
        if (!launch_backoff_admits(provisioner->parts.sources.launch_backoff, body,
                                   LAUNCH_WANTED)) {
            pass->held_back++;
            json_decref(body);
            continue;
        }
        create_one(provisioner, item, i, body);
        started++;
    }
    return started;
}

static struct reconcile_result create_claims(struct provisioner *provisioner,
                                             struct work_item *item)
{
    uint32_t started = 0;
    while (started == 0 && provisioning_pass_prepare(provisioner->pass) > 0)
        started = create_round(provisioner, item);
    return started > 0 ? reconcile_running() : end_pass(provisioner);
}
// First decisions about pods (SCH-394, LIF-320).
static void decide(struct provisioner *provisioner, const struct pod *pod, bool placed)
{
    pod_metrics_decided(provisioner->parts.pod_metrics, pod, placed);
    struct acknowledgement *entry = acknowledgement_of(provisioner, pod);
    if (entry == NULL || entry->decided)
        return;
    entry->decided = true;
    metric_observe(provisioner->control->metrics.decision_seconds,
                   (double)ns_subtract(provisioner->pass->planned_ns, entry->seen_ns) / SECOND);
}

static void decide_all(struct provisioner *provisioner)
{
    const struct plan *plan = provisioner->pass->plan;
    list_for_each (claim, &plan->claims)
        list_for_each (pod, &claim->pods)
            decide(provisioner, *pod, true);
    list_for_each (placement, &plan->placements)
        list_for_each (pod, &placement->pods)
            decide(provisioner, *pod, true);
    list_for_each (entry, &plan->unschedulable)
        decide(provisioner, entry->pod, false);
}

// Pods of other passes may be what these wait for.
static void hush_first_failures(struct provisioner *provisioner)
{
    struct plan *plan = provisioner->pass->plan;
    uint32_t told = 0;
    for (uint32_t i = 0; i < plan->unschedulable.count; i++) {
        struct acknowledgement *entry =
            acknowledgement_of(provisioner, plan->unschedulable.items[i].pod);
        if (entry == NULL || entry->was_hushed) {
            plan->unschedulable.items[told++] = plan->unschedulable.items[i];
            continue;
        }
        entry->was_hushed = provisioner->has_hushed = true;
    }
    plan->unschedulable.count = told;
}

// After a pass that was planned: what it means for the round.
static void go_on(struct provisioner *provisioner)
{
    const struct provisioning_pass *pass = provisioner->pass;
    if (pass->left_out > 0) {
        hush_first_failures(provisioner);
        provisioner->goes_on = true;
        return;
    }
    provisioner->round++;
    provisioner->goes_on = provisioner->has_hushed;
    provisioner->has_hushed = false;
}

static struct reconcile_result carry_out(struct provisioner *provisioner, struct work_item *item)
{
    struct provisioning_pass *pass = provisioner->pass;
    if (pass->rest) // is for the next pass of the wave
        provisioner->deferred_trigger = provisioner->has_fresh_pods = true;
    else if (pass->early && capacity_buffers_want_pass(provisioner->parts.sources.buffers))
        provisioner->deferred_trigger = true;
    if (pass->plan != NULL)
        go_on(provisioner);
    provisioning_pass_tell(pass);
    provisioner->phase = PHASE_CREATING;
    if (pass->plan == NULL) {
        provisioner->pass_failed = true;
        return end_pass(provisioner);
    }
    decide_all(provisioner);
    if (pass->plan->claims.count > 0)
        decision_inputs_touch(provisioner->inputs);
    return create_claims(provisioner, item);
}

// --- the loop of SCH-10 --------------------------------------------------------------------------
static struct reconcile_result until_repetition(const struct provisioner *provisioner, int64_t now)
{
    int64_t left = ns_subtract(provisioner->repeat_at_ns, now);
    if (provisioner->repeat_at_ns == 0)
        return reconcile_done();
    return reconcile_after(left > 0 ? left : 0);
}

static bool any_node_goes(const struct control *control)
{
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;)
        if (state_marked(state))
            return true;
    return false;
}

static bool is_known(const struct provisioner *provisioner)
{
    struct control *control = provisioner->control;
    return provisioner->known != NULL &&
           provisioner->known_version == decision_inputs_version(provisioner->inputs) &&
           !any_node_goes(control) &&
           snapshot_has_catalogs(provisioner->known->snapshot, &provisioner->parts.sources);
}

static struct reconcile_result repeat_known(struct provisioner *provisioner, int64_t now)
{
    provisioning_pass_tell(provisioner->known);
    provisioner->repeat_at_ns = ns_add(now, REPEAT_NS);
    return until_repetition(provisioner, now);
}

// Pods that were applied together with their NodePool would be told that there is none.
static bool awaits_new_pool(const struct control *control)
{
    int64_t now = manager_now(&control->manager);
    struct mirror_iterator iterator = {0};
    for (const struct object *pool;
         (pool = mirror_next(control->manager.mirror, KIND_NODE_POOL, &iterator)) != NULL;) {
        int64_t age = ns_subtract(now, pool->meta.creation_timestamp);
        if (age > -NEW_POOL_NS && age < NEW_POOL_NS && !pool_is_ready(pool) &&
            !object_is_deleting(pool) && managed_pool(control, (const struct node_pool *)pool))
            return true;
    }
    return false;
}

static void tell_nobody_waits(struct control *control)
{
    metric_set(control->metrics.unschedulable_pods, 0, "provisioner"); // SCH-395
    metric_remove_all(control->metrics.pods_by_zone);                  // SCH-398
}

static struct reconcile_result idle(struct provisioner *provisioner)
{
    int64_t now = loop_monotonic_ns(provisioner->control->manager.loop);
    struct batcher_window window = window_of(provisioner);
    if (!provisioner->batcher.open && provisioner->repeat_at_ns != 0 &&
        now >= provisioner->repeat_at_ns) {
        provisioner->repeat_at_ns = 0;
        // What still waits triggers again, as new (SCH-11). Buffers trigger by themselves, unless
        // the pass failed.
        if (has_work(provisioner) ||
            (provisioner->pass_failed &&
             capacity_buffers_want_pass(provisioner->parts.sources.buffers)))
            batcher_trigger(&provisioner->batcher, KEY, now);
        else if (cluster_provisionable(provisioner->control->cluster)->count > 0)
            provisioner->repeat_at_ns = ns_add(now, REPEAT_NS); // all spoken for, for now
        else
            tell_nobody_waits(provisioner->control);
    }
    if (!provisioner->batcher.open)
        return until_repetition(provisioner, now);
    int64_t due = batcher_due(&provisioner->batcher, &window);
    if (now < due && !provisioner->goes_on)
        return reconcile_after(ns_subtract(due, now));
    if (!cluster_synced(provisioner->control->cluster) || awaits_new_pool(provisioner->control))
        return reconcile_after(UNSYNCED_NS); // the batch waits for the first list
    bool early = batcher_close(&provisioner->batcher, &window, now);
    provisioner->has_fresh_pods = provisioner->goes_on = false;
    if (has_work(provisioner) || capacity_buffers_want_pass(provisioner->parts.sources.buffers))
        return is_known(provisioner) ? repeat_known(provisioner, now)
                                     : start_pass(provisioner, early);
    forget_known(provisioner);
    if (provisioner->repeat_at_ns == 0 &&
        cluster_provisionable(provisioner->control->cluster)->count > 0)
        provisioner->repeat_at_ns = ns_add(now, REPEAT_NS); // all spoken for, for now
    return until_repetition(provisioner, now);              // SCH-18
}

// Pods that were not bound where they were planned are planned anew when the others are bound.
static struct reconcile_result look_at_left_over(struct provisioner *provisioner)
{
    int64_t now = loop_monotonic_ns(provisioner->control->manager.loop);
    if (provisioner->left_over_until_ns != 0 && now >= provisioner->left_over_until_ns &&
        has_work(provisioner))
        trigger(provisioner, KEY);
    int64_t next_ns = cluster_unplanned_in(provisioner->control->cluster);
    provisioner->left_over_until_ns = next_ns == INT64_MAX ? 0 : ns_add(now, next_ns);
    return next_ns == INT64_MAX ? reconcile_done()
                                : reconcile_after(ns_maximum(next_ns, LEFT_OVER_NS));
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct provisioner *provisioner = context;
    (void)error;
    if (strcmp(work_item_key(item), LEFT_OVER) == 0)
        return look_at_left_over(provisioner);
    switch (provisioner->phase) {
    case PHASE_IDLE:
        return idle(provisioner);
    case PHASE_PLANNING:
        return reconcile_done();
    case PHASE_PLANNED:
        return carry_out(provisioner, item);
    case PHASE_CREATING:
        return create_claims(provisioner, item);
    }
    return reconcile_done();
}
