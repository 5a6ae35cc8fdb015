#include "control/disruption/disruption.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/command/commands.h"
#include "control/command/consolidation_history.h"
#include "control/command/consolidation_outcomes.h"
#include "control/command/consolidation_target.h"
#include "control/command/disruption_backoff.h"
#include "control/command/interruptions.h"
#include "control/command/spot_price_history.h"
#include "control/command/target_report.h"
#include "control/disruption/disruption_assembly.h"
#include "control/disruption/disruption_cleanup.h"
#include "control/disruption/disruption_emptiness.h"
#include "control/disruption/disruption_intervals.h"
#include "control/disruption/disruption_metrics.h"
#include "control/disruption/disruption_queue.h"
#include "control/disruption/disruption_recovery.h"
#include "control/disruption/emptiness_schedule.h"
#include "control/disruption/evaluation_schedule.h"
#include "control/disruption/pod_waves.h"
#include "control/disruption/wanted_nodes.h"
#include "control/provisioning/wave_report.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "control/state/cluster_sync.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"
#include "reconcile/deadline.h"
#include "reconcile/operations.h"

#define KEY         "disruption"
#define UNSYNCED_NS SECOND

struct disruption_controller {
    struct control *control;
    struct disruption_parts parts;
    struct reconcile_queue *queue;
    bool recovered;
    bool pod_waits; // which may fit on a disrupted node
    struct pod_waves waves;
    struct emptiness_schedule *emptiness;
    struct evaluation_schedule *evaluation;
    struct disruption_metrics *metrics;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void evaluate_soon(struct disruption_controller *disruption)
{
    emptiness_schedule_touch(disruption->emptiness);
    reconcile_queue_add_after(disruption->queue, KEY, LOOK_SOON_NS);
}

static void on_wake(void *context, const char *key)
{
    (void)key;
    evaluate_soon(context);
}

static bool claim_is(const struct object *claim, enum condition_type condition)
{
    return claim != NULL &&
           condition_is_true(&((const struct node_claim *)claim)->status.conditions, condition);
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct disruption_controller *disruption = context;
    (void)change;
    bool drifts =
        claim_is(old_object, CONDITION_DRIFTED) != claim_is(new_object, CONDITION_DRIFTED);
    if (drifts)
        evaluation_schedule_touch(disruption->evaluation);
    if (drifts && claim_is(new_object, CONDITION_DRIFTED))
        disruption_backoff_drifted(disruption->parts.backoff,
                                   object_label(new_object, LABEL_NODE_POOL));
    if (claim_is(old_object, CONDITION_CONSOLIDATABLE) !=
        claim_is(new_object, CONDITION_CONSOLIDATABLE)) {
        evaluation_schedule_touch(disruption->evaluation);
        evaluate_soon(disruption);
    } else if (drifts) {
        reconcile_queue_add_after(disruption->queue, KEY, LOOK_SOON_NS);
    }
}

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct disruption_controller *disruption = context;
    (void)change;
    if (new_object == NULL)
        disruption_metrics_forget(disruption->metrics, old_object->meta.name);
    if (old_object == NULL || new_object == NULL ||
        old_object->meta.generation != new_object->meta.generation) {
        consolidation_target_note_change(disruption->parts.target);
        evaluate_soon(disruption);
    }
}

// The allowance of a budget is in its status, which provisioning ignores.
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
    evaluation_schedule_touch(disruption->evaluation);
    evaluate_soon(disruption);
}

static bool protection_changes(const struct pod *before, const struct pod *after)
{
    return before != NULL && after != NULL &&
           ((before->meta.unreadable == NULL) != (after->meta.unreadable == NULL) ||
            !text_equal(string_map_get(&before->meta.annotations, ANNOTATION_DO_NOT_DISRUPT),
                        string_map_get(&after->meta.annotations, ANNOTATION_DO_NOT_DISRUPT)));
}

// A pod that left may have left its node empty; a pending pod may need a disrupted node.
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
        pod_waves_note_leaving(&disruption->waves,
                               loop_monotonic_ns(disruption->control->manager.loop));
        evaluate_soon(disruption);
    } else if (was_bound && protection_changes(before, pod)) {
        evaluate_soon(disruption);
    }
    if (pod != NULL && commands_are_active(disruption->parts.commands) && pod_needs_node(pod)) {
        emptiness_schedule_touch(disruption->emptiness);
        disruption->pod_waits = true;
        reconcile_queue_add(disruption->queue,
                            KEY); // before the provisioner launches a node for it
    }
}

// A price or what is on offer has changed: the next evaluation comes as soon as that has settled
// (DIS-704, DIS-750).
static void on_types(void *context)
{
    struct disruption_controller *disruption = context;
    spot_price_history_note_change(disruption->parts.spot_prices);
    consolidation_target_note_change(disruption->parts.target);
    evaluation_schedule_touch(disruption->evaluation);
    reconcile_queue_add_after(disruption->queue, KEY, LOOK_SOON_NS);
}

static void on_overlay(void *context, enum mirror_change change, const struct object *old_object,
                       const struct object *new_object)
{
    (void)change;
    if (old_object == NULL || new_object == NULL ||
        old_object->meta.generation != new_object->meta.generation)
        on_types(context);
}

static void on_evaluated(void *context)
{
    reconcile_queue_add(((struct disruption_controller *)context)->queue, KEY);
}

static void watch(struct disruption_controller *disruption)
{
    struct control *control = disruption->control;
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, disruption);
    mirror_on_change(control->manager.mirror, KIND_NODE_POOL, on_pool, disruption);
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, disruption);
    mirror_on_change(control->manager.mirror, KIND_POD_DISRUPTION_BUDGET, on_budget, disruption);
    mirror_on_change(control->manager.mirror, KIND_NODE_OVERLAY, on_overlay, disruption);
    cloud_watch_types(control->cloud, on_types, disruption);
    wake_register(&control->manager, WAKE_DISRUPTION, on_wake, disruption);
}

struct disruption_controller *disruption_create(const struct disruption_parts *given)
{
    struct control *control = given->control;
    struct disruption_controller *disruption = memory_allocate(sizeof *disruption);
    disruption->control = control;
    disruption->parts = *given;
    disruption_assemble(&disruption->parts);
    disruption->metrics = disruption_metrics_create(control);
    const struct evaluation_options options = {.parts = &disruption->parts,
                                               .metrics = disruption->metrics,
                                               .waves = &disruption->waves,
                                               .finished = on_evaluated,
                                               .context = disruption};
    disruption->emptiness = emptiness_schedule_create(&options);
    disruption->evaluation = evaluation_schedule_create(&options);
    disruption->queue =
        manager_queue(&control->manager, &(struct reconcile_queue_options){.name = "disruption",
                                                                           .reconcile = reconcile,
                                                                           .context = disruption});
    watch(disruption);
    reconcile_queue_add(disruption->queue, KEY);
    return disruption;
}

void disruption_destroy(struct disruption_controller *disruption)
{
    if (disruption == NULL)
        return;
    cloud_watch_types(disruption->control->cloud, NULL, NULL);
    wake_register(&disruption->control->manager, WAKE_DISRUPTION, NULL, NULL);
    emptiness_schedule_destroy(disruption->emptiness);
    evaluation_schedule_destroy(disruption->evaluation);
    disruption_metrics_destroy(disruption->metrics);
    disruption_disassemble(&disruption->parts);
    free(disruption);
}

// Once, when the cluster state is synced: takes over a predecessor's commands.
static void recover(struct disruption_controller *disruption)
{
    if (disruption->recovered)
        return;
    disruption_queue_recover(disruption->parts.queue, disruption->control);
    commands_note_recovered(disruption->parts.commands);
    consolidation_history_recover(disruption->parts.history);
    disruption_cleanup_begin(disruption->parts.cleanup);
    disruption->recovered = true;
}

static void review(const struct disruption_parts *parts)
{
    consolidation_outcomes_review(parts->outcomes);
    wave_report_review(parts->wave_report);
    target_report_review(parts->target_report);
    interruptions_review(parts->interruptions);
}

// Evaluates by each method that is due; returns the next call. The end of an evaluation requeues
// the reconcile that starts the next one, so what falls due meanwhile must not keep the loop busy.
// Emptiness comes first (DIS-11): a new evaluation must know which nodes it takes, while a running
// one does not delay it. When it has just been carried out, the others have their turn before it
// comes again.
static struct deadline evaluate_due(struct disruption_controller *disruption, int64_t now_ns,
                                    bool after_emptiness)
{
    int64_t wave_ns = pod_waves_left(&disruption->waves, disruption->control);
    struct deadline next = {ns_add(now_ns, wave_ns > 0 ? wave_ns : LOOK_AGAIN_NS)};
    if (!after_emptiness)
        deadline_by(&next, emptiness_schedule_start(disruption->emptiness));
    if (emptiness_schedule_is_running(disruption->emptiness))
        return next;
    deadline_by(&next, evaluation_schedule_start(disruption->evaluation));
    if (!evaluation_schedule_is_running(disruption->evaluation))
        deadline_by(&next, disruption_queue_next_due(disruption->parts.queue, false));
    if (after_emptiness)
        deadline_by(&next, emptiness_schedule_start(disruption->emptiness));
    return next;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct disruption_controller *disruption = context;
    const struct disruption_parts *parts = &disruption->parts;
    struct manager *manager = &disruption->control->manager;
    (void)error;
    if (!cluster_synced(disruption->control->cluster))
        return reconcile_after(UNSYNCED_NS);
    recover(disruption);
    int64_t now_ns = loop_monotonic_ns(manager->loop);
    review(parts);
    struct operation_about saving = {
        .manager = manager, .item = item, .doing = "writing down interruptions"};
    if (interruptions_save(parts->interruptions, &saving) > 0)
        return reconcile_running();
    bool after_emptiness = emptiness_schedule_carry_out(disruption->emptiness);
    evaluation_schedule_carry_out(disruption->evaluation);
    if (disruption->pod_waits)
        wanted_nodes_cancel(parts);
    disruption->pod_waits = false;
    return reconcile_by(evaluate_due(disruption, now_ns, after_emptiness), now_ns);
}
