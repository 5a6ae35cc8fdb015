#include "control/provisioning/provisioner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/metrics_text.h"
#include "base/nanoseconds.h"
#include "control/buffers/capacity_buffers.h"
#include "control/nomination/nominator.h"
#include "control/provisioning/acknowledged_pods.h"
#include "control/provisioning/claim_rounds.h"
#include "control/provisioning/preference_warnings.h"
#include "control/provisioning/provisioning_pass.h"
#include "control/provisioning/provisioning_triggers.h"
#include "control/provisioning/shortage_replans.h"
#include "control/provisioning/snapshot_builder.h"
#include "control/provisioning/wave_report.h"
#include "control/runtime/control.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/cluster_sync.h"
#include "control/state/decision_inputs.h"
#include "control/state/pod_metrics.h"
#include "control/state/state_node.h"

#define KEY            "provisioner"
#define LEFT_OVER      "left-over" // the key under which pods are waited for that lost their place
#define LEFT_OVER_NS   (200 * MILLISECOND)
#define REPEAT_NS      (10 * SECOND) // SCH-11
#define UNSYNCED_NS    (SECOND / 10)
#define AFTER_ERROR_NS SECOND
#define NEW_POOL_NS    (2 * SECOND) // the time for a new NodePool to become ready

enum phase { PHASE_IDLE, PHASE_PLANNING, PHASE_PLANNED, PHASE_CREATING };

struct planning_job {                // a plan on a worker thread; it may outlive the provisioner
    struct provisioner *provisioner; // NULL: the result is dropped
    struct provisioning_pass *pass;
};

struct provisioner {
    struct control *control;
    struct provisioner_parts parts;
    struct preference_warnings *preference_warnings;
    struct reconcile_queue *queue;
    struct acknowledged_pods *pods;
    struct shortage_replans *shortages;
    struct provisioning_triggers *triggers;
    enum phase phase;
    struct provisioning_pass *pass; // under way; NULL: none
    struct planning_job *job;       // while planning
    struct claim_rounds *rounds;    // while creating
    // The last pass, if it needs no new NodeClaims: its answer holds as long as its inputs are
    // unchanged (SCH-526).
    struct provisioning_pass *known;
    struct decision_inputs *inputs;
    bool last_failed;           // of the last pass
    int64_t repeat_at_ns;       // 0: nothing to repeat
    int64_t left_over_until_ns; // displaced pods wait until then for the others to be bound; 0:
                                // there are none
    char scheduling_id[37];     // of the present or last pass (SCH-58)
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void on_inputs(void *context, const char *key)
{
    struct provisioner *provisioner = context;
    (void)key;
    decision_inputs_touch(provisioner->inputs);
}

// A bound pod may have taken the planned room of others. A displaced pod may have become
// provisionable only now, by the end of its nomination.
static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct provisioner *provisioner = context;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    (void)old_object;
    if (pod == NULL || pod->meta.uid == NULL)
        return;
    bool is_displaced = pod->spec.node_name == NULL && pod_needs_node(pod) &&
                        cluster_is_displaced(provisioner->control->cluster, pod);
    if (is_displaced && provisioner->left_over_until_ns == 0)
        provisioner->left_over_until_ns = loop_monotonic_ns(provisioner->control->manager.loop);
    if (is_displaced || pod->spec.node_name != NULL)
        reconcile_queue_add_after(provisioner->queue, LEFT_OVER, LEFT_OVER_NS);
}

static double planning_seconds(const struct provisioner *provisioner)
{
    if (provisioner->phase != PHASE_PLANNING)
        return 0;
    int64_t now = loop_monotonic_ns(provisioner->control->manager.loop);
    return (double)ns_subtract(now, provisioner->pass->started_ns) / SECOND;
}

// SCH-397: while a pass is being planned.
static void collect_unfinished(void *context, const struct metric *metric, struct text *out)
{
    const struct provisioner *provisioner = context;
    if (provisioner->phase != PHASE_PLANNING)
        return;
    const char *const values[] = {"provisioner", provisioner->scheduling_id};
    metric_emit(metric, out, planning_seconds(provisioner), values, ARRAY_LENGTH(values));
}

static void collect_planning(void *context, const struct metric *metric, struct text *out)
{
    const struct provisioner *provisioner = context;
    const char *const values[] = {"provisioner"};
    metric_emit(metric, out, planning_seconds(provisioner), values, ARRAY_LENGTH(values));
}

struct provisioner *provisioner_create(struct control *control,
                                       const struct provisioner_parts *parts)
{
    struct provisioner *provisioner = memory_allocate(sizeof *provisioner);
    provisioner->control = control;
    provisioner->parts = *parts;
    provisioner->queue =
        manager_queue(&control->manager, &(struct reconcile_queue_options){.name = "provisioner",
                                                                           .reconcile = reconcile,
                                                                           .context = provisioner});
    metric_collect(control->metrics.unfinished_seconds, collect_unfinished, provisioner);
    metric_collect(control->metrics.planning_seconds, collect_planning, provisioner);
    provisioner->inputs = decision_inputs_create(control);
    provisioner->preference_warnings = preference_warnings_create(control);
    provisioner->pods = acknowledged_pods_create(control);
    provisioner->shortages = shortage_replans_create(control, parts->sources.launch_backoff);
    provisioner->triggers = provisioning_triggers_create(
        &(struct provisioning_triggers_options){.control = control,
                                                .pods = provisioner->pods,
                                                .bursts = parts->sources.bursts,
                                                .shortages = provisioner->shortages,
                                                .queue = provisioner->queue,
                                                .key = KEY});
    if (parts->sources.bursts != NULL)
        mirror_on_change(control->manager.mirror, KIND_POD, on_pod, provisioner);
    wake_register(&control->manager, WAKE_PROVISIONING_INPUTS, on_inputs, provisioner);
    return provisioner;
}

void provisioner_destroy(struct provisioner *provisioner)
{
    if (provisioner == NULL)
        return;
    claim_rounds_destroy(provisioner->rounds);
    if (provisioner->job != NULL)
        provisioner->job->provisioner = NULL; // it frees itself and its pass at its end
    else
        provisioning_pass_destroy(provisioner->pass);
    metric_collect(provisioner->control->metrics.unfinished_seconds, NULL, NULL);
    metric_collect(provisioner->control->metrics.planning_seconds, NULL, NULL);
    wake_register(&provisioner->control->manager, WAKE_PROVISIONING_INPUTS, NULL, NULL);
    provisioning_triggers_destroy(provisioner->triggers);
    acknowledged_pods_destroy(provisioner->pods);
    shortage_replans_destroy(provisioner->shortages);
    provisioning_pass_destroy(provisioner->known);
    decision_inputs_destroy(provisioner->inputs);
    preference_warnings_destroy(provisioner->preference_warnings);
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
    metric_set(provisioner->control->metrics.queued_pods, 0, "provisioner");
    free(job);
    reconcile_queue_add(provisioner->queue, KEY);
}

static bool has_work(const struct provisioner *provisioner)
{
    struct cluster *cluster = provisioner->control->cluster;
    const struct pod_list *pods = cluster_provisionable(cluster);
    for (uint32_t i = 0; i < pods->count; i++)
        if (!cluster_is_planned(cluster, pods->items[i]))
            return true;
    return deleting_nodes_have_pods(provisioner->control);
}

// Pods that the pass has to place. The engine plans them in one go: all, then none.
static double queue_depth(const struct provisioner *provisioner)
{
    struct cluster *cluster = provisioner->control->cluster;
    const struct pod_list *pods = cluster_provisionable(cluster);
    uint32_t depth = 0;
    for (uint32_t i = 0; i < pods->count; i++)
        depth += !cluster_is_planned(cluster, pods->items[i]);
    return depth;
}

static void forget_known(struct provisioner *provisioner)
{
    provisioning_pass_destroy(provisioner->known);
    provisioner->known = NULL;
}

static struct reconcile_result start_pass(struct provisioner *provisioner, bool early)
{
    const struct control *control = provisioner->control;
    provisioner->pass = provisioning_pass_create(
        &(struct provisioning_pass_parts){.sources = provisioner->parts.sources,
                                          .preference_warnings = provisioner->preference_warnings,
                                          .shortages = provisioner->shortages,
                                          .target_report = provisioner->parts.target_report},
        &(struct backlog_chunk_options){
            .pods_max = control->strategy->plans_in_chunks ? control->pass_pods_max : 0,
            .was_tried = acknowledged_pods_was_tried,
            .context = provisioner->pods});
    provisioner->pass->inputs_version = decision_inputs_version(provisioner->inputs);
    provisioner->pass->extent = early ? PASS_EARLY : PASS_WHOLE;
    forget_known(provisioner);
    acknowledged_pods_note_tried(provisioner->pods, provisioner->pass->snapshot);
    provisioner->phase = PHASE_PLANNING;
    provisioning_triggers_hold(provisioner->triggers);
    log_debug("computing scheduling decision for provisionable pod(s)", "s:controller",
              "provisioner", "i:pending-pods",
              (int64_t)cluster_provisionable(provisioner->control->cluster)->count);
    struct metric *depth = provisioner->control->metrics.queue_depth;
    metric_remove_all(depth);
    random_uuid(&provisioner->control->manager.random, provisioner->scheduling_id);
    double queued = queue_depth(provisioner);
    metric_set(depth, queued, "provisioner", provisioner->scheduling_id);
    metric_set(control->metrics.queued_pods, queued, "provisioner");
    struct planning_job *job = memory_allocate(sizeof *job);
    *job = (struct planning_job){provisioner, provisioner->pass};
    provisioner->job = job;
    loop_offload(provisioner->control->manager.loop, job_work, job_done, job);
    return reconcile_done();
}

// --- execution -----------------------------------------------------------------------------------
// Such a pass depends on time only by pods on deleted nodes (SCH-23).
static bool is_known_for_good(const struct provisioning_pass *pass)
{
    return pass->control->strategy->remembers_answers && !pass->failed && pass->plan != NULL &&
           pass->plan->claims.count == 0 && pass->errors.data == NULL &&
           pass->extent == PASS_WHOLE && pass->left_out == 0 &&
           pass->snapshot->marked_for_deletion.count == 0;
}

static struct reconcile_result end_pass(struct provisioner *provisioner)
{
    struct provisioning_pass *pass = provisioner->pass;
    cluster_end_pass(provisioner->control->cluster);
    nominator_note_plans(provisioner->parts.nominator);
    wave_report_pass(provisioner->parts.wave_report, pass);
    int64_t now = loop_monotonic_ns(provisioner->control->manager.loop);
    if (pass->held_back > 0) {
        log_debug("holding back nodeclaims of offerings that are on trial", "s:controller",
                  "provisioner", "i:nodeclaims", (int64_t)pass->held_back);
        provisioning_triggers_fire(provisioner->triggers, KEY);
    }
    provisioner->last_failed = pass->failed;
    provisioner->repeat_at_ns = ns_add(now, pass->failed ? AFTER_ERROR_NS : REPEAT_NS);
    assert(provisioner->known == NULL);
    if (is_known_for_good(pass))
        provisioner->known = pass;
    else
        provisioning_pass_destroy(pass);
    claim_rounds_destroy(provisioner->rounds);
    provisioner->rounds = NULL;
    provisioner->pass = NULL;
    provisioner->phase = PHASE_IDLE;
    provisioning_triggers_release(provisioner->triggers, now);
    return reconcile_after(0);
}

static struct reconcile_result create_claims(struct provisioner *provisioner,
                                             struct work_item *item)
{
    return claim_rounds_start_next(provisioner->rounds, item) > 0 ? reconcile_running()
                                                                  : end_pass(provisioner);
}

// LIF-320.
static void report_decided(struct pod_metrics *metrics, const struct plan *plan)
{
    list_for_each (claim, &plan->claims)
        list_for_each (pod, &claim->pods)
            pod_metrics_decided(metrics, *pod, true);
    list_for_each (placement, &plan->placements)
        list_for_each (pod, &placement->pods)
            pod_metrics_decided(metrics, *pod, true);
    list_for_each (entry, &plan->unschedulable)
        pod_metrics_decided(metrics, entry->pod, false);
}

// For the original plan: before failures are removed from it, and before it is reported.
static void trigger_following(struct provisioner *provisioner)
{
    const struct provisioning_pass *pass = provisioner->pass;
    if (pass->extent == PASS_EARLY_PART) {
        provisioning_triggers_expect_fresh(provisioner->triggers);
        provisioning_triggers_fire(provisioner->triggers, KEY);
    } else if (pass->extent == PASS_EARLY &&
               capacity_buffers_need_pass(provisioner->parts.sources.buffers)) {
        provisioning_triggers_fire(provisioner->triggers, KEY);
    }
    if (pass->plan != NULL &&
        acknowledged_pods_note_planned(provisioner->pods, pass->plan, pass->left_out))
        provisioning_triggers_follow(provisioner->triggers);
}

static struct reconcile_result carry_out(struct provisioner *provisioner, struct work_item *item)
{
    struct provisioning_pass *pass = provisioner->pass;
    trigger_following(provisioner);
    provisioning_pass_report(pass);
    provisioner->phase = PHASE_CREATING;
    if (pass->plan == NULL) {
        pass->failed = true;
        return end_pass(provisioner);
    }
    metric_observe(provisioner->control->metrics.scheduling_seconds,
                   (double)ns_subtract(pass->planned_ns, pass->started_ns) / SECOND, "provisioner");
    acknowledged_pods_note_decided(provisioner->pods, pass->plan, pass->planned_ns);
    report_decided(provisioner->parts.pod_metrics, pass->plan);
    if (pass->plan->claims.count > 0)
        decision_inputs_touch(provisioner->inputs);
    provisioner->rounds = claim_rounds_create(pass);
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
           provisioner->known->inputs_version == decision_inputs_version(provisioner->inputs) &&
           !any_node_goes(control) &&
           snapshot_has_catalogs(provisioner->known->snapshot, &provisioner->parts.sources);
}

static struct reconcile_result repeat_known(struct provisioner *provisioner, int64_t now)
{
    provisioning_pass_report(provisioner->known);
    provisioner->repeat_at_ns = ns_add(now, REPEAT_NS);
    return until_repetition(provisioner, now);
}

// Pods that were applied together with their NodePool would get a wrong FailedScheduling.
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

static void report_no_pending_pods(struct control *control)
{
    metric_set(control->metrics.unschedulable_pods, 0, "provisioner"); // SCH-395
    metric_remove_all(control->metrics.pods_by_zone);                  // SCH-398
}

// The periodic pass is due. Pending pods trigger again, as new (SCH-11). Buffers trigger by
// themselves, unless the last pass failed.
static void repeat(struct provisioner *provisioner, int64_t now)
{
    provisioner->repeat_at_ns = 0;
    if (has_work(provisioner) || (provisioner->last_failed &&
                                  capacity_buffers_need_pass(provisioner->parts.sources.buffers)))
        provisioning_triggers_open(provisioner->triggers, now);
    else if (cluster_provisionable(provisioner->control->cluster)->count > 0)
        provisioner->repeat_at_ns = ns_add(now, REPEAT_NS); // all are planned for now
    else
        report_no_pending_pods(provisioner->control);
}

static struct reconcile_result idle(struct provisioner *provisioner)
{
    struct provisioning_triggers *triggers = provisioner->triggers;
    int64_t now = loop_monotonic_ns(provisioner->control->manager.loop);
    if (!provisioning_triggers_is_open(triggers) && provisioner->repeat_at_ns != 0 &&
        now >= provisioner->repeat_at_ns)
        repeat(provisioner, now);
    if (!provisioning_triggers_is_open(triggers))
        return until_repetition(provisioner, now);
    int64_t due = provisioning_triggers_due(triggers);
    if (now < due)
        return reconcile_after(ns_subtract(due, now));
    if (!cluster_synced(provisioner->control->cluster) || awaits_new_pool(provisioner->control))
        return reconcile_after(UNSYNCED_NS); // the batch waits for the first list
    bool early = provisioning_triggers_close(triggers, now);
    if (has_work(provisioner) || capacity_buffers_need_pass(provisioner->parts.sources.buffers))
        return is_known(provisioner) ? repeat_known(provisioner, now)
                                     : start_pass(provisioner, early);
    forget_known(provisioner);
    if (provisioner->repeat_at_ns == 0 &&
        cluster_provisionable(provisioner->control->cluster)->count > 0)
        provisioner->repeat_at_ns = ns_add(now, REPEAT_NS); // all are planned for now
    return until_repetition(provisioner, now);              // SCH-18
}

// Pods that were not bound to their planned nodes are planned anew after the others are bound.
static struct reconcile_result recheck_left_over(struct provisioner *provisioner)
{
    int64_t now = loop_monotonic_ns(provisioner->control->manager.loop);
    if (provisioner->left_over_until_ns != 0 && now >= provisioner->left_over_until_ns &&
        has_work(provisioner))
        provisioning_triggers_fire(provisioner->triggers, KEY);
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
        return recheck_left_over(provisioner);
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
