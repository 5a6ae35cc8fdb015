#include "control/disruption/disruption.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metrics_text.h"
#include "base/nanoseconds.h"
#include "control/command/blocked_events.h"
#include "control/command/commands.h"
#include "control/command/consolidation_history.h"
#include "control/command/consolidation_outcomes.h"
#include "control/command/consolidation_target.h"
#include "control/command/disruption_backoff.h"
#include "control/command/interruptions.h"
#include "control/command/node_timings.h"
#include "control/command/savings.h"
#include "control/command/spot_prices.h"
#include "control/command/target_report.h"
#include "control/disruption/disruption_cleanup.h"
#include "control/disruption/disruption_emptiness.h"
#include "control/disruption/disruption_evaluation.h"
#include "control/disruption/disruption_queue.h"
#include "control/disruption/disruption_recovery.h"
#include "control/provisioning/wave_report.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "control/state/decision_inputs.h"
#include "control/state/state_node.h"
#include "engine/disruption/expiry.h"
#include "model/reading/pod.h"
#include "reconcile/operations.h"

#define KEY          "disruption"
#define UNSYNCED_NS  SECOND
#define LOOK_NODE_NS (250 * INT64_C(1000))
#define TELL_NODE_NS (10 * MILLISECOND)
#define SOON_NS      (500 * MILLISECOND) // from a change to the pass that sees it
#define AGAIN_NS     (10 * SECOND)       // DIS-19
#define SETTLED_NS   (5 * MINUTE)        // nothing to wait for: DIS-180, LIF-314
// A sweep waits until the cluster has been quiet for a moment, but not for ever, and leaves the
// machine most of the time to others.
#define QUIET_NS    SECOND
#define SWEEP_SHARE 4
// While a wave of pods leaves its nodes, the API server has the workload's controllers to serve:
// commands wait until it is over, or has lasted as long as the pause between two passes.
#define WAVE_PODS     50
#define WAVE_QUIET_NS SECOND
#define WAVE_MAX_NS   (10 * SECOND)
// A target is chosen for the cluster as a whole: not while pods of a wave are on their way to their
// nodes, nor after such a wave before the nodes have come to rest (consolidateAfter). But nothing
// is waited for for long.
#define UNREST_LOOK_NS  (500 * MILLISECOND)
#define UNREST_SHARE    10 // of the nodes
#define UNREST_MAX_NS   MINUTE
#define DISTURBING_PODS 20
#define ARRIVING_MAX_NS MINUTE

struct evaluation_job { // on a worker thread; outlives the controller if it must
    struct disruption_controller *disruption; // NULL: nobody waits any more
    struct disruption_evaluation *sweep;
};

struct disruption_controller {
    struct control *control;
    struct disruption_parts parts;
    struct reconcile_queue *queue;
    bool recovered;
    bool dirty;
    bool pod_waits;           // which may run on a node that is to go
    int64_t evaluated_ns;     // monotonic: the last turn of emptiness
    uint32_t evaluated_nodes; // in the cluster then: what leaves makes room in budgets
    int64_t glanced_ns;       // monotonic: when it was last found that it had nothing to find
    int64_t evaluated_state;  // cluster_changed_at() of the last turn of emptiness
    int64_t again_ns;         // monotonic: evaluate even without a change
    struct decision_inputs *inputs;
    struct evaluation_job *job;
    struct disruption_evaluation *done;   // finished, to be carried out
    uint64_t swept_version, seen_version; // of the inputs: of the last sweep, and as last seen
    int64_t changed_ns;                   // monotonic: when a change was last seen
    int64_t swept_ns,
        evaluation_not_before_ns; // monotonic: end of the last sweep, begin of the next
    int64_t evaluation_again_ns;  // monotonic: even without a change
    struct map
        *examined; // "method/NodePool" -> int64_t: monotonic, when all its nodes were looked at
    uint32_t wave_pods;                  // that have left their nodes in the present wave
    int64_t wave_first_ns, wave_last_ns; // monotonic
    // Monotonic: since when pods arrive without a pause, 0: none does; when many came or went last.
    int64_t arriving_ns, disturbed_ns;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void look_soon(struct disruption_controller *disruption)
{
    disruption->dirty = true;
    reconcile_queue_add_after(disruption->queue, KEY, SOON_NS);
}

static void on_wake(void *context, const char *key)
{
    (void)key;
    look_soon(context);
}

static bool claim_is(const struct object *claim, const char *condition)
{
    return claim != NULL &&
           condition_is_true(&((const struct node_claim *)claim)->status.conditions, condition);
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct disruption_controller *disruption = context;
    (void)change;
    bool drifts = claim_is(old_object, "Drifted") != claim_is(new_object, "Drifted");
    if (drifts)
        decision_inputs_touch(disruption->inputs);
    if (drifts && claim_is(new_object, "Drifted"))
        disruption_backoff_drifted(disruption->parts.backoff,
                                   object_label(new_object, LABEL_NODE_POOL));
    if (claim_is(old_object, "Consolidatable") != claim_is(new_object, "Consolidatable")) {
        decision_inputs_touch(disruption->inputs);
        look_soon(disruption);
    } else if (drifts) {
        reconcile_queue_add_after(disruption->queue, KEY, SOON_NS);
    }
}

// A NodePool that is gone has no series.
static void forget_pool(struct disruption_controller *disruption, const char *name)
{
    const struct control_metrics *metrics = &disruption->control->metrics;
    metric_remove_matching(metrics->pool_allowed_disruptions, "nodepool", name);
    metric_remove_matching(metrics->pool_consuming_budgets, "nodepool", name);
    struct map_entry *next;
    for (struct map_entry *entry = map_first(disruption->examined); entry != NULL; entry = next) {
        next = map_next(entry);
        if (strcmp(strchr(map_key(entry), '/') + 1, name) == 0)
            free(map_remove(disruption->examined, map_key(entry)));
    }
}

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct disruption_controller *disruption = context;
    (void)change;
    if (new_object == NULL)
        forget_pool(disruption, old_object->meta.name);
    if (old_object == NULL || new_object == NULL ||
        old_object->meta.generation != new_object->meta.generation) {
        consolidation_target_note_change(disruption->parts.target);
        look_soon(disruption);
    }
}

// What a budget allows is in its status, which provisioning does not look at.
static void on_budget(void *context, enum mirror_change change, const struct object *old_object,
                      const struct object *new_object)
{
    struct disruption_controller *disruption = context;
    const struct pod_disruption_budget *before = (const struct pod_disruption_budget *)old_object;
    const struct pod_disruption_budget *budget = (const struct pod_disruption_budget *)new_object;
    (void)change;
    if (before != NULL && budget != NULL && before->meta.generation == budget->meta.generation &&
        (before->status.disruptions_allowed > 0) == (budget->status.disruptions_allowed > 0))
        return;
    decision_inputs_touch(disruption->inputs);
    look_soon(disruption);
}

static void note_leaving(struct disruption_controller *disruption)
{
    int64_t now_ns = loop_monotonic_ns(disruption->control->manager.loop);
    bool begins = disruption->wave_pods == 0 ||
                  ns_subtract(now_ns, disruption->wave_last_ns) >= WAVE_QUIET_NS ||
                  ns_subtract(now_ns, disruption->wave_first_ns) >= WAVE_MAX_NS;
    if (begins) {
        disruption->wave_pods = 0;
        disruption->wave_first_ns = now_ns;
    }
    disruption->wave_pods++;
    disruption->wave_last_ns = now_ns;
}

// How long to hold back new commands; 0: not at all.
static int64_t wave_left(const struct disruption_controller *disruption)
{
    int64_t now_ns = loop_monotonic_ns(disruption->control->manager.loop);
    if (disruption->wave_pods < WAVE_PODS ||
        disruption->control->manager.settings->compatibility_upstream)
        return 0;
    int64_t quiet_ns = ns_add(disruption->wave_last_ns, WAVE_QUIET_NS);
    int64_t longest_ns = ns_add(disruption->wave_first_ns, WAVE_MAX_NS);
    int64_t end_ns = quiet_ns < longest_ns ? quiet_ns : longest_ns;
    return end_ns > now_ns ? ns_subtract(end_ns, now_ns) : 0;
}

static bool protection_changes(const struct pod *before, const struct pod *after)
{
    return before != NULL && after != NULL &&
           ((before->meta.unreadable == NULL) != (after->meta.unreadable == NULL) ||
            !text_equal(string_map_get(&before->meta.annotations, ANNOTATION_DO_NOT_DISRUPT),
                        string_map_get(&after->meta.annotations, ANNOTATION_DO_NOT_DISRUPT)));
}

// A pod that left its node may have left it empty; one that waits may want a node that is to go.
static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct disruption_controller *disruption = context;
    const struct pod *before = (const struct pod *)old_object;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    bool was_bound = before != NULL && before->spec.node_name != NULL;
    bool over = pod == NULL || pod_is_terminal(pod) || pod->meta.deletion_timestamp != 0;
    if (was_bound && over) {
        note_leaving(disruption);
        look_soon(disruption);
    } else if (was_bound && protection_changes(before, pod)) {
        look_soon(disruption);
    }
    if (pod != NULL && commands_count(disruption->parts.commands) > 0 && pod_wants_node(pod)) {
        disruption->dirty = disruption->pod_waits = true;
        reconcile_queue_add(disruption->queue, KEY); // before the provisioner buys for it
    }
}

// DIS-709.
static void collect_ages(void *context, const struct metric *metric, struct text *out)
{
    const struct disruption_controller *disruption = context;
    int64_t now_ns = loop_monotonic_ns(disruption->control->manager.loop);
    for (struct map_entry *entry = map_first(disruption->examined); entry != NULL;
         entry = map_next(entry)) {
        char method[32];
        const char *pool = strchr(map_key(entry), '/') + 1;
        snprintf(method, sizeof method, "%.*s", (int)(pool - 1 - map_key(entry)), map_key(entry));
        const char *const values[] = {pool, method};
        int64_t age_ns = ns_subtract(now_ns, *(const int64_t *)map_value(entry));
        metric_emit(metric, out, (double)age_ns / SECOND, values, ARRAY_LENGTH(values));
    }
}

// A price or what is on offer has changed: the next sweep comes as soon as that has settled
// (DIS-704, DIS-750).
static void on_types(void *context)
{
    struct disruption_controller *disruption = context;
    spot_prices_note_change(disruption->parts.spot_prices);
    consolidation_target_note_change(disruption->parts.target);
    decision_inputs_touch(disruption->inputs);
    reconcile_queue_add_after(disruption->queue, KEY, SOON_NS);
}

static void on_overlay(void *context, enum mirror_change change, const struct object *old_object,
                       const struct object *new_object)
{
    (void)change;
    if (old_object == NULL || new_object == NULL ||
        old_object->meta.generation != new_object->meta.generation)
        on_types(context);
}

static void create_parts(struct disruption_parts *parts)
{
    struct control *control = parts->control;
    parts->backoff = disruption_backoff_create(control);
    parts->queue = disruption_queue_create(parts);
    parts->cleanup = disruption_cleanup_create(control, parts->commands);
    parts->timings = node_timings_create(control);
    parts->savings = savings_create(control);
    parts->history = consolidation_history_create(control, parts->savings);
    parts->outcomes = consolidation_outcomes_create(control, parts->history, parts->savings);
    parts->target = consolidation_target_create(control);
    parts->spot_prices = spot_prices_create();
    parts->blocked_events = blocked_events_create(control);
}

static void destroy_parts(struct disruption_parts *parts)
{
    disruption_cleanup_destroy(parts->cleanup);
    disruption_queue_destroy(parts->queue);
    disruption_backoff_destroy(parts->backoff);
    node_timings_destroy(parts->timings);
    consolidation_outcomes_destroy(parts->outcomes);
    consolidation_history_destroy(parts->history);
    consolidation_target_destroy(parts->target);
    spot_prices_destroy(parts->spot_prices);
    blocked_events_destroy(parts->blocked_events);
    savings_destroy(parts->savings);
}

struct disruption_controller *disruption_create(const struct disruption_parts *given)
{
    struct control *control = given->control;
    struct disruption_controller *disruption = memory_allocate(sizeof *disruption);
    disruption->control = control;
    disruption->dirty = true;
    disruption->evaluated_ns = disruption->glanced_ns = -SOON_NS;
    disruption->parts = *given;
    create_parts(&disruption->parts);
    disruption->inputs = decision_inputs_create(control);
    decision_inputs_touch(disruption->inputs);
    disruption->examined = map_create();
    metric_collect(control->metrics.examined_age, collect_ages, disruption);
    disruption->queue =
        manager_queue(&control->manager, &(struct reconcile_queue_options){.name = "disruption",
                                                                           .reconcile = reconcile,
                                                                           .context = disruption});
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, disruption);
    mirror_on_change(control->manager.mirror, KIND_NODE_POOL, on_pool, disruption);
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, disruption);
    mirror_on_change(control->manager.mirror, KIND_POD_DISRUPTION_BUDGET, on_budget, disruption);
    mirror_on_change(control->manager.mirror, KIND_NODE_OVERLAY, on_overlay, disruption);
    cloud_watch_types(control->cloud, on_types, disruption);
    wake_register(&control->manager, WAKE_DISRUPTION, on_wake, disruption);
    reconcile_queue_add(disruption->queue, KEY);
    return disruption;
}

void disruption_destroy(struct disruption_controller *disruption)
{
    if (disruption == NULL)
        return;
    cloud_watch_types(disruption->control->cloud, NULL, NULL);
    wake_register(&disruption->control->manager, WAKE_DISRUPTION, NULL, NULL);
    if (disruption->job != NULL)
        disruption->job->disruption = NULL; // frees itself and its sweep when it is done
    evaluation_destroy(disruption->done);
    metric_collect(disruption->control->metrics.examined_age, NULL, NULL);
    map_destroy(disruption->examined, free);
    decision_inputs_destroy(disruption->inputs);
    destroy_parts(&disruption->parts);
    free(disruption);
}

// --- emptiness -----------------------------------------------------------------------------------
static bool there_is_news(const struct disruption_controller *disruption)
{
    return disruption->dirty ||
           cluster_changed_at(disruption->control->cluster) != disruption->evaluated_state;
}

// A look at empty nodes costs as much as the cluster is large: the pause between two for what
// happens is longer where there are more.
static int64_t look_pause(const struct disruption_controller *disruption)
{
    return ns_add(SOON_NS, ns_multiply(LOOK_NODE_NS, cluster_count(disruption->control->cluster)));
}

// Where no node can be empty, a turn only tells what has changed.
static int64_t tell_pause(const struct disruption_controller *disruption)
{
    int64_t pause_ns =
        ns_add(SOON_NS, ns_multiply(TELL_NODE_NS, cluster_count(disruption->control->cluster)));
    return pause_ns < AGAIN_NS ? pause_ns : AGAIN_NS;
}

// When news is worth a look, or a glance at whether it is, monotonic.
static int64_t look_not_before(const struct disruption_controller *disruption)
{
    int64_t last_ns = disruption->evaluated_ns > disruption->glanced_ns ? disruption->evaluated_ns
                                                                        : disruption->glanced_ns;
    int64_t tell_ns = ns_add(disruption->evaluated_ns, tell_pause(disruption));
    int64_t look_ns = ns_add(last_ns, look_pause(disruption));
    return look_ns < tell_ns ? look_ns : tell_ns;
}

static bool emptiness_is_due(struct disruption_controller *disruption, int64_t now_ns)
{
    const struct control *control = disruption->control;
    if (now_ns >= disruption_queue_next_due(disruption->parts.queue, true) ||
        now_ns >= disruption->again_ns)
        return true;
    if (!there_is_news(disruption) || now_ns < look_not_before(disruption))
        return false;
    if (now_ns >= ns_add(disruption->evaluated_ns, tell_pause(disruption)) ||
        cluster_count(control->cluster) != disruption->evaluated_nodes ||
        emptiness_is_possible(&disruption->parts))
        return true;
    disruption->glanced_ns = now_ns;
    return false;
}

static void look_for_empty_nodes(struct disruption_controller *disruption)
{
    struct control *control = disruption->control;
    disruption->dirty = false;
    disruption->evaluated_ns = loop_monotonic_ns(control->manager.loop);
    disruption->evaluated_state = cluster_changed_at(control->cluster);
    disruption->evaluated_nodes = cluster_count(control->cluster);
    struct emptiness_outcome outcome =
        emptiness_turn(&disruption->parts, wave_left(disruption) == 0);
    disruption->dirty = outcome.put_off;
    // What holds a node back now may end by the clock alone (DIS-705).
    int64_t left_ns = outcome.waits || outcome.put_off ? AGAIN_NS : SETTLED_NS;
    if (ns_subtract(outcome.next_change, manager_now(&control->manager)) < left_ns)
        left_ns = ns_subtract(outcome.next_change, manager_now(&control->manager));
    disruption->again_ns = ns_add(loop_monotonic_ns(control->manager.loop), left_ns);
}

// --- the other methods ---------------------------------------------------------------------------
static void job_work(void *context)
{
    evaluation_work(((struct evaluation_job *)context)->sweep);
}

static void job_done(void *context)
{
    struct evaluation_job *job = context;
    struct disruption_controller *disruption = job->disruption;
    if (disruption == NULL) {
        evaluation_destroy(job->sweep);
    } else {
        disruption->job = NULL;
        disruption->done = job->sweep;
        reconcile_queue_add(disruption->queue, KEY);
    }
    free(job);
}

static void start_job(struct disruption_controller *disruption, struct disruption_evaluation *sweep)
{
    struct evaluation_job *job = memory_allocate(sizeof *job);
    *job = (struct evaluation_job){disruption, sweep};
    disruption->job = job;
    loop_offload(disruption->control->manager.loop, job_work, job_done, job);
}

static void tell_notes(const struct disruption_parts *parts, const struct plan *plan)
{
    struct control *control = parts->control;
    list_for_each (note, &plan->notes) {
        if (note->level != NOTE_EVENT_NORMAL || note->object == NULL || note->reason == NULL)
            continue;
        if (note->object->kind->id == KIND_NODE_POOL ||
            note->object->kind->id == KIND_POD_DISRUPTION_BUDGET)
            publish(&control->manager, note->object,
                    &(struct event_text){
                        .reason = note->reason, .dedupe = note->message, .window_ns = MINUTE},
                    "%s", note->message);
        const struct node *node = note->object->kind->id == KIND_NODE
                                      ? find_node(control, note->object->meta.name)
                                      : NULL;
        if (node != NULL)
            blocked_events_tell(parts->blocked_events, LOOKER_SWEEP, note->reason, node,
                                cluster_claim_of(control->cluster, node, NULL), note->message);
    }
    blocked_events_end(parts->blocked_events, LOOKER_SWEEP, false);
}

// The earliest of what ends by itself.
static int64_t next_look(const struct disruption_controller *disruption,
                         const struct disruption_evaluation *sweep, int64_t now_ns)
{
    struct control *control = disruption->control;
    int64_t next_ns = ns_add(now_ns, SETTLED_NS);
    int64_t change = sweep->next_change,
            backoff_ns = disruption_backoff_next(disruption->parts.backoff);
    if (change != INT64_MAX &&
        ns_subtract(ns_add(now_ns, change), manager_now(&control->manager)) < next_ns)
        next_ns = ns_subtract(ns_add(now_ns, change), manager_now(&control->manager));
    return backoff_ns < next_ns ? backoff_ns : next_ns;
}

static void note_examined(struct disruption_controller *disruption, const char *method,
                          const char *pool)
{
    struct text key = {0};
    text_format(&key, "%s/%s", method, pool);
    int64_t *examined_ns = map_ensure(disruption->examined, key.data, sizeof *examined_ns);
    *examined_ns = loop_monotonic_ns(disruption->control->manager.loop);
    text_free(&key);
}

// DIS-400, DIS-405, DIS-709. Both drift methods have candidates of their own, both consolidations
// the same (DIS-774).
static void measure(struct disruption_controller *disruption, const struct plan *plan)
{
    struct control_metrics *metrics = &disruption->control->metrics;
    uint32_t drifted = 0, underutilized = 0;
    list_for_each (turn, &plan->turns) {
        if (turn->reason == DISRUPTION_DRIFTED)
            drifted += turn->eligible;
        else
            underutilized = turn->eligible > underutilized ? turn->eligible : underutilized;
        list_for_each (pool, &turn->pools) {
            const char *name = pool->pool->meta.name;
            note_examined(disruption, disruption_method_name(turn->method), name);
            metric_set(metrics->pool_allowed_disruptions, (double)pool->allowed, name,
                       disruption_reason_name(turn->reason));
            metric_set(metrics->pool_consuming_budgets, (double)pool->disrupting, name,
                       disruption_reason_name(turn->reason));
            if (pool->error != NULL)
                log_error("detected disruption budget errors", "s:controller", "disruption",
                          "s:error", pool->error);
        }
    }
    metric_set(metrics->disruption_eligible, drifted, disruption_reason_label(DISRUPTION_DRIFTED));
    metric_set(metrics->disruption_eligible, underutilized,
               disruption_reason_label(DISRUPTION_UNDERUTILIZED));
    metric_remove_all(metrics->repack_price);
    if (plan->repack.target > 0) {
        metric_set(metrics->repack_price, (double)plan->repack.price / 1e9, "now");
        metric_set(metrics->repack_price, (double)plan->repack.target / 1e9, "target");
    }
    metric_remove_all(metrics->nodes_by_rule);
    list_for_each (count, &plan->verdict_counts)
        metric_set(metrics->nodes_by_rule, count->nodes, count->rule);
}

static void carry_out(struct disruption_controller *disruption)
{
    struct control *control = disruption->control;
    struct disruption_evaluation *sweep = disruption->done;
    int64_t now_ns = loop_monotonic_ns(control->manager.loop),
            took_ns = ns_subtract(now_ns, sweep->started_ns);
    disruption->done = NULL;
    uint32_t commands = evaluation_carry_out(sweep);
    if (sweep->checks_count == 0) {
        if (sweep->plan != NULL)
            tell_notes(&disruption->parts, sweep->plan);
        if (sweep->plan != NULL)
            measure(disruption, sweep->plan);
        disruption->swept_ns = now_ns;
        disruption->evaluation_not_before_ns =
            commands > 0 ? now_ns : ns_add(now_ns, ns_multiply(SWEEP_SHARE, took_ns));
        disruption->evaluation_again_ns = next_look(disruption, sweep, now_ns);
        metric_observe(control->metrics.disruption_evaluation_seconds, (double)took_ns / SECOND,
                       disruption_reason_label(DISRUPTION_UNDERUTILIZED),
                       consolidation_type_label(CONSOLIDATION_SINGLE));
    }
    if (commands > 0)
        decision_inputs_touch(disruption->inputs);
    evaluation_destroy(sweep);
}

// DIS-762: a deadline is near, or will be before the next look.
static bool may_expire(const struct control *control, const struct object *claim)
{
    return !control->manager.settings->compatibility_upstream &&
           expiry_window_start((const struct node_claim *)claim) <=
               ns_add(manager_now(&control->manager), SETTLED_NS);
}

// Some node that a method may want: else a sweep has nothing to look at.
static bool has_candidates(const struct control *control)
{
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        const struct object *claim = (const struct object *)state_only_claim(state);
        if (claim != NULL && !state_marked(state) &&
            (claim_is(claim, "Consolidatable") || claim_is(claim, "Drifted") ||
             may_expire(control, claim)))
            return true;
    }
    return false;
}

// Pods of a wave that kube-scheduler is still to bind, to nodes that are there or on their way.
static bool pods_arrive(const struct control *control)
{
    const struct pod_list *pods = cluster_provisionable(control->cluster);
    for (uint32_t i = 0; i < pods->count; i++)
        if (pod_is_unexamined(pods->items[i]) ||
            cluster_is_spoken_for(control->cluster, pods->items[i]))
            return true;
    return false;
}

// The node takes and gives pods again in a moment: its NodePool's consolidateAfter is nearly over.
static bool rests_soon(const struct control *control, const struct state_node *state)
{
    const struct node_claim *claim = state_only_claim(state);
    const struct node_pool *pool = claim != NULL ? pool_of_claim(control, claim) : NULL;
    if (pool == NULL || claim->status.last_pod_event_time == 0 || state_marked(state) ||
        pool->spec.disruption.consolidate_after.text == NULL ||
        pool->spec.disruption.consolidate_after.nanoseconds == DURATION_NEVER)
        return false;
    int64_t rests_at = ns_add(claim->status.last_pod_event_time,
                              pool->spec.disruption.consolidate_after.nanoseconds);
    int64_t left_ns = ns_subtract(rests_at, manager_now(&control->manager));
    return left_ns > 0 && left_ns <= UNREST_MAX_NS;
}

static bool many_rest_soon(const struct control *control)
{
    uint32_t soon = 0, all = 0;
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL; all++)
        soon += rests_soon(control, state);
    return soon > 1 && UNREST_SHARE * soon >= all;
}

// Pods arrive, and have not done so for too long.
static bool awaits_arrivals(struct disruption_controller *disruption, int64_t now_ns)
{
    if (!pods_arrive(disruption->control)) {
        disruption->arriving_ns = 0;
        return false;
    }
    if (disruption->arriving_ns == 0)
        disruption->arriving_ns = now_ns;
    if (ns_subtract(now_ns, disruption->arriving_ns) >= ARRIVING_MAX_NS)
        return false;
    disruption->disturbed_ns = now_ns;
    return true;
}

// Whether the next sweep should wait for the cluster to come to rest, after pods have come or gone
// by the dozen.
static bool awaits_rest(struct disruption_controller *disruption, int64_t now_ns)
{
    if (awaits_arrivals(disruption, now_ns))
        return true;
    if (disruption->wave_pods >= DISTURBING_PODS &&
        disruption->wave_last_ns > disruption->disturbed_ns)
        disruption->disturbed_ns = disruption->wave_last_ns;
    return disruption->disturbed_ns != 0 &&
           ns_subtract(now_ns, disruption->disturbed_ns) < UNREST_MAX_NS &&
           many_rest_soon(disruption->control);
}

// Under COMPATIBILITY=upstream a command that waits for its validation holds up the rest (DIS-260).
static bool is_held_up(const struct disruption_controller *disruption)
{
    const struct control *control = disruption->control;
    struct map_entry *position = NULL;
    if (!control->manager.settings->compatibility_upstream)
        return wave_left(disruption) > 0;
    for (const struct disruption_command *command;
         (command = commands_next(disruption->parts.commands, &position)) != NULL;)
        if (command->phase < COMMAND_LAUNCH)
            return true;
    return false;
}

// When the next sweep is due, monotonic; INT64_MAX: there is nothing to look for.
static int64_t evaluation_due(struct disruption_controller *disruption, int64_t now_ns)
{
    uint64_t version = decision_inputs_version(disruption->inputs);
    if (version != disruption->seen_version) {
        disruption->seen_version = version;
        disruption->changed_ns = now_ns;
    }
    int64_t due_ns = disruption->evaluation_again_ns;
    if (version != disruption->swept_version) {
        int64_t quiet_ns = ns_add(disruption->changed_ns, QUIET_NS);
        int64_t latest_ns = ns_add(disruption->swept_ns, AGAIN_NS);
        due_ns = quiet_ns < latest_ns ? quiet_ns : latest_ns;
    }
    return due_ns > disruption->evaluation_not_before_ns ? due_ns
                                                         : disruption->evaluation_not_before_ns;
}

// Several nodes that go together are to be looked at again in a moment: what began meanwhile would
// take the room that their pods were counted on to find.
static bool a_set_waits(const struct commands *commands)
{
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = commands_next(commands, &position)) != NULL;)
        if (command->phase == COMMAND_WAIT && command->nodes.count > 1 &&
            command->reason == DISRUPTION_UNDERUTILIZED)
            return true;
    return false;
}

// Answers when to come back, monotonic.
static int64_t sweep(struct disruption_controller *disruption)
{
    struct control *control = disruption->control;
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    if (disruption->job != NULL)
        return INT64_MAX;
    struct disruption_evaluation *check = evaluation_create_check(&disruption->parts);
    if (check != NULL) {
        start_job(disruption, check);
        return INT64_MAX;
    }
    int64_t due_ns = evaluation_due(disruption, now_ns);
    if (now_ns < due_ns)
        return due_ns;
    if (is_held_up(disruption))
        return ns_add(now_ns, SOON_NS);
    if (!control->manager.settings->compatibility_upstream &&
        a_set_waits(disruption->parts.commands))
        return ns_add(now_ns, SOON_NS);
    if (!control->manager.settings->compatibility_upstream && awaits_rest(disruption, now_ns))
        return ns_add(now_ns, UNREST_LOOK_NS);
    disruption->swept_version = decision_inputs_version(disruption->inputs);
    if (!has_candidates(control)) { // DIS-400: there is nobody to be counted by a sweep
        metric_set(control->metrics.disruption_eligible, 0,
                   disruption_reason_label(DISRUPTION_DRIFTED));
        metric_set(control->metrics.disruption_eligible, 0,
                   disruption_reason_label(DISRUPTION_UNDERUTILIZED));
        disruption->evaluation_again_ns = ns_add(now_ns, SETTLED_NS);
        return disruption->evaluation_again_ns;
    }
    start_job(disruption, evaluation_create(&disruption->parts));
    return INT64_MAX;
}

// The next validation, monotonic. The end of a sweep or check under way brings the reconcile that
// begins the next check: what falls due meanwhile must not keep the loop busy.
static int64_t next_due(const struct disruption_controller *disruption)
{
    const struct disruption_queue *queue = disruption->parts.queue;
    int64_t own_ns = disruption_queue_next_due(queue, true);
    int64_t checked_ns =
        disruption->job == NULL ? disruption_queue_next_due(queue, false) : INT64_MAX;
    return own_ns < checked_ns ? own_ns : checked_ns;
}

// When to do what this pass has left for later, monotonic; INT64_MAX: nothing.
static int64_t put_off_until(const struct disruption_controller *disruption, int64_t now_ns,
                             int64_t wave_ns)
{
    bool put_off = wave_ns == 0 && disruption->evaluated_ns < now_ns && there_is_news(disruption);
    return put_off ? look_not_before(disruption) : INT64_MAX;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct disruption_controller *disruption = context;
    struct control *control = disruption->control;
    const struct disruption_parts *parts = &disruption->parts;
    (void)error;
    if (!cluster_synced(control->cluster))
        return reconcile_after(UNSYNCED_NS);
    if (!disruption->recovered) {
        disruption_queue_recover(parts->queue, control);
        consolidation_history_recover(parts->history);
        disruption_cleanup_begin(parts->cleanup);
    }
    disruption->recovered = true;
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    consolidation_outcomes_review(parts->outcomes);
    wave_report_review(parts->wave_report);
    target_report_review(parts->target_report);
    interruptions_review(parts->interruptions);
    struct operation_about saving = {
        .manager = &control->manager, .item = item, .doing = "writing down interruptions"};
    if (interruptions_save(parts->interruptions, &saving) > 0)
        return reconcile_running();
    if (disruption->done != NULL)
        carry_out(disruption);
    if (disruption->pod_waits)
        emptiness_call_off_wanted(parts);
    disruption->pod_waits = false;
    int64_t wave_ns = wave_left(disruption);
    bool idle = commands_count(parts->commands) == 0;
    if ((wave_ns == 0 || !idle) && emptiness_is_due(disruption, now_ns))
        look_for_empty_nodes(disruption);
    int64_t next_ns = sweep(disruption), due_ns = next_due(disruption);
    int64_t again_ns = ns_add(now_ns, wave_ns > 0 ? wave_ns : AGAIN_NS);
    next_ns = due_ns < next_ns ? due_ns : next_ns;
    next_ns = again_ns < next_ns ? again_ns : next_ns;
    if ((wave_ns == 0 || !idle) && disruption->again_ns < next_ns)
        next_ns = disruption->again_ns;
    int64_t put_off_ns = put_off_until(disruption, now_ns, wave_ns);
    next_ns = put_off_ns < next_ns ? put_off_ns : next_ns;
    return reconcile_after(next_ns > now_ns ? ns_subtract(next_ns, now_ns) : 0);
}
