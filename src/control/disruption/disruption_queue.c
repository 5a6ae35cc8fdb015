#include "control/disruption/disruption_queue.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/command/commands.h"
#include "control/command/consolidation_history.h"
#include "control/command/consolidation_outcomes.h"
#include "control/command/consolidation_target.h"
#include "control/command/disruption_backoff.h"
#include "control/command/target_report.h"
#include "control/disruption/command_deletion.h"
#include "control/disruption/command_marking.h"
#include "control/disruption/disruption_cleanup.h"
#include "control/disruption/disruption_replacements.h"
#include "control/node/eviction_queue.h"
#include "control/node/pods_to_evict.h"
#include "control/node/ready_replicas.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "reconcile/operations.h"

// DIS-322
#define TIMEOUT_NODE_NS (80 * MILLISECOND)
#define TIMEOUT_MIN_NS  (10 * MINUTE)
#define TIMEOUT_MAX_NS  HOUR
#define LOOK_AGAIN_NS   (5 * SECOND) // for replacements, besides their changes

struct disruption_queue {
    const struct disruption_parts *parts;
    struct control *control;
    struct reconcile_queue *queue;
    struct commands *commands; // that are under way
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void schedule_check(struct disruption_queue *queue, const struct disruption_command *command)
{
    if (command != NULL)
        reconcile_queue_add(queue->queue, command->id);
}

// A deleted node leaves its command (DIS-720).
static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct disruption_queue *queue = context;
    (void)change;
    const struct object *node = new_object != NULL ? new_object : old_object;
    schedule_check(queue, commands_of_node(queue->commands, node->meta.name));
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct disruption_queue *queue = context;
    (void)change;
    const struct object *claim = new_object != NULL ? new_object : old_object;
    schedule_check(queue, commands_of_claim(queue->commands, claim->meta.name));
}

struct disruption_queue *disruption_queue_create(const struct disruption_parts *parts)
{
    struct control *control = parts->control;
    struct disruption_queue *queue = memory_allocate(sizeof *queue);
    queue->control = control;
    queue->parts = parts;
    queue->commands = parts->commands;
    queue->queue = manager_queue(&control->manager,
                                 &(struct reconcile_queue_options){
                                     .name = "disruption.queue",
                                     .concurrency = manager_scale(&control->manager, 100, 1000),
                                     .backoff_base_ns = SECOND, // DIS-327: no growth
                                     .backoff_max_ns = SECOND,
                                     .rate = 100,
                                     .burst = 1000,
                                     .reconcile = reconcile,
                                     .context = queue});
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, queue);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, queue);
    return queue;
}

void disruption_queue_destroy(struct disruption_queue *queue)
{
    free(queue);
}

// --- adding and removing commands ----------------------------------------------------------------
void disruption_queue_add(struct disruption_queue *queue, struct disruption_command *command)
{
    if (commands_add(queue->commands, command))
        reconcile_queue_add(queue->queue, command->id);
}

static void forget(struct disruption_queue *queue, struct disruption_command *command)
{
    commands_remove(queue->commands, command);
    list_for_each (replacement, &command->replacements) {
        cluster_end_keeping(queue->control->cluster, replacement->name);
        replacement_release(queue->parts, replacement);
        disruption_cleanup_release(queue->parts->cleanup, replacement->name);
    }
    pods_to_evict_count(queue->control, queue->commands, queue->parts->evictions);
    consolidation_outcomes_drop(queue->parts->outcomes, command);
    command_destroy(command);
}

int64_t disruption_queue_next_due(const struct disruption_queue *queue, bool of_emptiness)
{
    int64_t due = INT64_MAX;
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = commands_next(queue->commands, &position)) != NULL;)
        if (command->phase == COMMAND_WAIT && !command->is_checking && command->due_ns < due &&
            command_is_of_emptiness(queue->control, command) == of_emptiness)
            due = command->due_ns;
    return due;
}

static int64_t timeout_of(const struct disruption_queue *queue)
{
    int64_t timeout_ns = ns_multiply(TIMEOUT_NODE_NS, commands_nodes(queue->commands));
    if (timeout_ns < TIMEOUT_MIN_NS)
        return TIMEOUT_MIN_NS;
    return timeout_ns > TIMEOUT_MAX_NS ? TIMEOUT_MAX_NS : timeout_ns;
}

// --- the nodes -----------------------------------------------------------------------------------
// The node is gone, replaced by another of its name, or being deleted: the command skips it.
static bool is_gone(const struct control *control, const struct command_node *entry)
{
    const struct node *node = find_node(control, entry->node);
    const struct node_claim *claim = find_claim(control, entry->claim);
    return node == NULL || claim == NULL || !text_equal(claim->meta.uid, entry->claim_uid) ||
           object_is_deleting((const struct object *)claim) ||
           object_is_deleting((const struct object *)node);
}

// --- requests of the disruption controller -------------------------------------------------------
// DIS-300, DIS-309.
void disruption_queue_confirm(struct disruption_queue *queue, struct disruption_command *command)
{
    struct control *control = queue->control;
    const struct disruption_parts *parts = queue->parts;
    const char *decision = command_decision(command), *reason = command_reason_label(command);
    command_log_start(command);
    command->is_confirmed = true;
    metric_add(control->metrics.disruption_decisions, 1, decision, reason,
               command_consolidation_label(command));
    for (uint32_t i = 0; i < command->nodes.count; i++)
        if (command_is_first_of_pool(command, i))
            metric_add(control->metrics.disruption_decisions_by_pool, 1,
                       command->nodes.items[i].pool, decision, reason,
                       command_consolidation_label(command));
    if (command->replacements.count == 0)
        command_set_marked(control, command, true); // DIS-306
    consolidation_history_begin(parts->history, command);
    consolidation_outcomes_begin(parts->outcomes, command);
    target_report_begin(parts->target_report, command);
    consolidation_target_begin(parts->target, command);
    command->phase = command->replacements.count > 0 ? COMMAND_LAUNCH : COMMAND_DELETE;
    reconcile_queue_add(queue->queue, command->id);
}

static void report_rejected(struct control *control, const struct disruption_command *command,
                            enum cancel_kind kind)
{
    list_for_each (entry, &command->nodes) {
        struct text text = {0};
        command_describe_part(command, entry, &text);
        publish_of_node(&control->manager, find_node(control, entry->node),
                        find_claim(control, entry->claim), EVENT_CONSOLIDATION_REJECTED,
                        "Consolidation rejected: %s, reason: %s (savings: $%.2f)", text.data,
                        cancel_kind_name(kind), (double)command->savings / 1e9);
        text_free(&text);
    }
}

void disruption_queue_cancel(struct disruption_queue *queue, struct disruption_command *command,
                             enum cancel_kind kind, const char *why)
{
    log_debug("abandoning disruption attempt, command is no longer valid", "s:controller",
              "disruption", "s:command-id", command->id, "o:Node", command->nodes.items[0].node,
              "s:kind", cancel_kind_name(kind), "s:reason", why);
    metric_add(queue->control->metrics.disruption_failed_validations, command->nodes.count,
               command_consolidation_label(command));
    if (command->reason == DISRUPTION_UNDERUTILIZED) {
        report_rejected(queue->control, command, kind); // DIS-773
        list_for_each (entry, &command->nodes)
            disruption_backoff_node_failed(queue->parts->backoff, entry->node);
    }
    if (command->reason == DISRUPTION_DRIFTED && kind == CANCEL_SCHEDULING)
        list_for_each (entry, &command->nodes)
            disruption_backoff_drift_refused(queue->parts->backoff, entry->node);
    command->phase = COMMAND_ROLLBACK;
    reconcile_queue_add(queue->queue, command->id);
}

// What they would have saved is no longer promised.
static void lower_savings(struct disruption_queue *queue, struct disruption_command *command,
                          const struct disruption_command *without)
{
    list_for_each (entry, &without->nodes) {
        const struct node_claim *claim = find_claim(queue->control, entry->claim);
        int64_t price = claim != NULL ? claim_price(queue->control, claim, NULL) : 0;
        command->price -= price > 0 ? price : 0;
        command->savings -= price > 0 ? price : 0;
    }
}

void disruption_queue_leave_out(struct disruption_queue *queue, struct disruption_command *command,
                                const struct string_list *nodes, enum cancel_kind kind)
{
    if (nodes->count == 0)
        return;
    assert(nodes->count < command->nodes.count && command->replacements.count == 0);
    struct disruption_command *rest =
        command_create(queue->control, NULL, command->reason, command->consolidation);
    command_reserve(rest, nodes->count, 0);
    list_for_each (name, nodes)
        commands_move_node(queue->commands, queue->control, command, *name, rest);
    lower_savings(queue, command, rest);
    bool is_any = rest->nodes.count > 0;
    disruption_queue_add(queue, rest);
    if (is_any)
        disruption_queue_cancel(queue, rest, kind, "the rest of the command goes on without it");
}

// --- steps ---------------------------------------------------------------------------------------
// The command is rolled back: it must not use the budget while it waits.
static struct reconcile_result call_off(struct disruption_queue *queue, struct step *step)
{
    disruption_queue_cancel(queue, step->command, CANCEL_BUDGET,
                            "a candidate can no longer be disrupted without violating budgets");
    return step_go_on(step, COMMAND_ROLLBACK);
}

// The pods that are to come to the replacements have their places from now on: a pass would find
// others for them, and buy nodes for those that have none then (SCH-528).
static void plan_moves(const struct step *step)
{
    const struct disruption_command *command = step->command;
    if (!step->control->strategy->keeps_plans)
        return;
    struct map *names = map_create(); // of replacements, by pod
    list_for_each (move, &command->moves)
        if (move->replacement != NO_REPLACEMENT)
            map_set(names, move->pod, command->replacements.items[move->replacement].name);
    list_for_each (entry, &command->nodes) {
        const struct pod_list *pods = cluster_pods(step->control->cluster, entry->node);
        for (uint32_t i = 0; i < pods->count && !entry->gone; i++) {
            const char *uid = pods->items[i]->meta.uid;
            const char *name = uid != NULL ? map_get(names, uid) : NULL;
            if (name != NULL)
                cluster_plan_pod(step->control->cluster, pods->items[i], name);
        }
    }
    map_destroy(names, NULL);
}

static struct reconcile_result step_launch(struct step *step)
{
    struct disruption_command *command = step->command;
    step->about.doing = "launching replacement nodeclaim";
    // The rest is not launched for a command that has failed already.
    const char *lost = replacements_lost(step->control, command);
    if (lost != NULL)
        return step_fail(step, "replacement was deleted, ", lost);
    const char *refusal = replacements_refused(step->parts, command);
    if (refusal != NULL)
        return step_fail(step, "launching replacement nodeclaim, ", refusal);
    list_for_each (replacement, &command->replacements) {
        if (replacement->is_rejected)
            return step_fail(step,
                             "launching replacement nodeclaim, rejected: ", replacement->name);
        step->started += replacement_create(step->parts, &step->about, command, replacement);
    }
    if (step->started > 0)
        return reconcile_running();
    command->launched_ns = loop_monotonic_ns(step->control->manager.loop);
    plan_moves(step);
    return step_go_on(step, COMMAND_AWAIT);
}

static struct reconcile_result step_await(struct disruption_queue *queue, struct step *step)
{
    struct disruption_command *command = step->command;
    const char *gone = NULL;
    int64_t now_ns = loop_monotonic_ns(step->control->manager.loop);
    int64_t left_ns = ns_subtract(ns_add(command->created_ns, timeout_of(queue)), now_ns);
    enum replacements_state state = replacements_state(step->control, command, &gone);
    targets_hold(step->control, command);
    if (state == REPLACEMENTS_LOST)
        return step_fail(step, "replacement was deleted, ", gone);
    if (state != REPLACEMENTS_LAUNCHING)
        command_set_marked(step->control, command, true); // DIS-306
    const struct pod *pod = NULL;
    enum command_blocker bar = state == REPLACEMENTS_READY ? step_blocker(step, &pod) : BAR_NONE;
    if (bar == BAR_POD) { // nothing has failed: a NodePool that drifts goes on (DIS-716)
        char why[320];
        snprintf(why, sizeof why, "%s %s",
                 pod->meta.unreadable != NULL ? "unreadable pod" : "do-not-disrupt of pod",
                 pod->meta.name);
        disruption_queue_cancel(queue, command, CANCEL_CHURN, why);
        return step_go_on(step, COMMAND_ROLLBACK);
    }
    if (state == REPLACEMENTS_READY && bar == BAR_NONE)
        return step_go_on(step, COMMAND_DELETE);
    if (left_ns <= 0 && bar != BAR_NONE)
        return step_fail(step,
                         bar == BAR_BUDGET
                             ? "command reached timeout, a PodDisruptionBudget holds pod "
                             : "command reached timeout, its workload has no other ready pod: ",
                         pod->meta.name);
    if (left_ns <= 0)
        return step_fail(step, "command reached timeout, waiting for replacement initialization",
                         "");
    return reconcile_after(left_ns < LOOK_AGAIN_NS ? left_ns : LOOK_AGAIN_NS);
}

// The replacements wait for the pods of the nodes that are being drained (DIS-727), and passes know
// where these pods are to go (leaving_pods.h).
static struct reconcile_result step_drain(struct disruption_queue *queue, struct step *step)
{
    struct disruption_command *command = step->command;
    bool draining = false;
    list_for_each (entry, &command->nodes) {
        const struct node_claim *claim = find_claim(step->control, entry->claim);
        draining = draining || (claim != NULL && text_equal(claim->meta.uid, entry->claim_uid));
    }
    if (draining && (command->replacements.count > 0 || command->moves.count > 0)) {
        replacements_nominate(step->control, command);
        targets_hold(step->control, command);
        return reconcile_after(LOOK_AGAIN_NS);
    }
    log_debug("command succeeded", "s:controller", "disruption.queue", "s:command-id", command->id);
    if (command->reason == DISRUPTION_DRIFTED)
        disruption_backoff_pool_succeeded(step->parts->backoff, command->nodes.items[0].pool);
    consolidation_history_end(step->parts->history, command);
    consolidation_outcomes_end(step->parts->outcomes, command);
    target_report_end(step->parts->target_report, command);
    forget(queue, command);
    return reconcile_done();
}

// --- rollback ------------------------------------------------------------------------------------
static void report_failure(const struct step *step)
{
    const struct disruption_command *command = step->command;
    struct control *control = step->control;
    log_error("failed terminating nodes while executing a disruption command", "s:controller",
              "disruption.queue", "s:command-id", command->id, "s:error", command->failure);
    metric_add(control->metrics.disruption_queue_failures,
               replacements_not_initialized(control, command), command_decision(command),
               command_reason_label(command), command_consolidation_label(command));
    list_for_each (entry, &command->nodes) {
        if (command->reason == DISRUPTION_DRIFTED)
            disruption_backoff_pool_failed(step->parts->backoff, entry->pool);
        else
            disruption_backoff_node_failed(step->parts->backoff, entry->node);
    }
}

static bool take_back_nodes(struct step *step)
{
    struct ready_replicas *replicas = eviction_queue_replicas(step->parts->evictions);
    list_for_each (entry, &step->command->nodes)
        if (!entry->gone)
            ready_replicas_stay(replicas, cluster_pods(step->control->cluster, entry->node));
    return disruption_cleanup_take_back(step->parts->cleanup, step->command);
}

static struct reconcile_result step_rollback(struct disruption_queue *queue, struct step *step)
{
    struct disruption_command *command = step->command;
    if (command->failure[0] != '\0') {
        report_failure(step);
        command->failure[0] = '\0';
    }
    command_set_marked(step->control, command, false);
    bool left = take_back_nodes(step);
    step->started += replacements_give_up(step->control, &step->about, command); // DIS-723
    if (step->started > 0)
        return reconcile_running();
    if (left)
        return reconcile_after(LOOK_AGAIN_NS);
    forget(queue, command);
    wake(&step->control->manager, WAKE_DISRUPTION, NULL);
    return reconcile_done();
}

// --- one command ---------------------------------------------------------------------------------
// DIS-793: a command whose requests are refused again and again ends. Due deletions are requested
// once, however late (DIS-721).
static const char *overdue_write(const struct disruption_queue *queue, const struct step *step)
{
    const struct disruption_command *command = step->command;
    int64_t now_ns = loop_monotonic_ns(step->control->manager.loop);
    if (now_ns < ns_add(command->created_ns, timeout_of(queue)))
        return NULL;
    switch (command->phase) {
    case COMMAND_TAINT:
    case COMMAND_REASON:
        return "marking disrupted";
    case COMMAND_LAUNCH:
        return "launching replacement nodeclaim";
    case COMMAND_DELETE:
        return command->was_deleted_once ? "deleting nodeclaim" : NULL;
    case COMMAND_WAIT:
    case COMMAND_AWAIT: // has its own timeout
    case COMMAND_DRAIN:
    case COMMAND_ROLLBACK:
        break;
    }
    return NULL;
}

// False: no node is left for the command to take away.
static bool any_left(struct step *step)
{
    bool any = false;
    list_for_each (entry, &step->command->nodes) {
        entry->gone = entry->gone || is_gone(step->control, entry);
        any = any || !entry->gone;
    }
    return any;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct disruption_queue *queue = context;
    struct disruption_command *command = commands_find(queue->commands, work_item_key(item));
    (void)error;
    if (command == NULL)
        return reconcile_done();
    struct step step = {.parts = queue->parts,
                        .control = queue->control,
                        .command = command,
                        .about = {.manager = &queue->control->manager, .item = item}};
    bool left = any_left(&step);
    if (!left && command->phase != COMMAND_ROLLBACK && command->phase != COMMAND_DRAIN)
        command->phase = command->is_confirmed ? COMMAND_DRAIN : COMMAND_ROLLBACK;
    const char *overdue = overdue_write(queue, &step);
    if (overdue != NULL)
        return step_fail(&step, "command reached timeout, ", overdue);
    switch (command->phase) {
    case COMMAND_TAINT:
        return step_breaks_budgets(&step) ? call_off(queue, &step) : step_taint(&step);
    case COMMAND_REASON:
        return step_reason(&step);
    case COMMAND_WAIT:
        return reconcile_done();
    case COMMAND_LAUNCH:
        return step_launch(&step);
    case COMMAND_AWAIT:
        return step_await(queue, &step);
    case COMMAND_DELETE:
        return step_delete(&step);
    case COMMAND_DRAIN:
        return step_drain(queue, &step);
    case COMMAND_ROLLBACK:
        return step_rollback(queue, &step);
    }
    return reconcile_done();
}
