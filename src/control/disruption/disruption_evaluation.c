#include "control/disruption/disruption_evaluation.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/quantity.h"
#include "control/buffers/capacity_buffers.h"
#include "control/command/commands.h"
#include "control/command/consolidation_history.h"
#include "control/command/consolidation_outcomes.h"
#include "control/command/consolidation_target.h"
#include "control/command/disruption_backoff.h"
#include "control/command/interruptions.h"
#include "control/command/node_timings.h"
#include "control/command/spot_price_history.h"
#include "control/disruption/command_budgets.h"
#include "control/disruption/disruption_emptiness.h"
#include "control/disruption/disruption_queue.h"
#include "control/disruption/disruption_replacements.h"
#include "control/disruption/wanted_nodes.h"
#include "control/provisioning/snapshot_builder.h"
#include "control/state/cluster.h"
#include "control/state/state_node.h"
#include "engine/disruption/emptiness.h"
#include "engine/disruption/nodepool_budgets.h"
#include "engine/engine.h"
#include "model/reading/pod.h"

// --- commands that are due -----------------------------------------------------------------------
static bool is_for_check(const struct control *control, enum evaluation_kind kind,
                         const struct disruption_command *command)
{
    return (kind == EVALUATION_EMPTINESS || kind == EVALUATION_CHECK) &&
           command_is_of_emptiness(control, command) == (kind == EVALUATION_EMPTINESS) &&
           command_is_due(control, command);
}

static uint32_t count_due(const struct disruption_parts *parts, enum evaluation_kind kind)
{
    uint32_t count = 0;
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = commands_next(parts->commands, &position)) != NULL;)
        count += is_for_check(parts->control, kind, command);
    return count;
}

static void add_check(struct disruption_evaluation *evaluation, struct disruption_command *command)
{
    struct command_check *check = &evaluation->checks[evaluation->checks_count];
    evaluation->ids[evaluation->checks_count++] = arena_copy_string(evaluation->arena, command->id);
    command->is_checking = true;
    *check = (struct command_check){.reason = command->reason,
                                    .replacements = command->replacements.count,
                                    .is_guided = command_is_guided(command)};
    check->nodes.items = arena_allocate_array(evaluation->arena, command->nodes.count + 1,
                                              sizeof *check->nodes.items);
    list_for_each (entry, &command->nodes)
        if (!entry->gone)
            check->nodes.items[check->nodes.count++] =
                arena_copy_string(evaluation->arena, entry->node);
    if (command->replacements.count != 1)
        return;
    const struct string_list *types = &command->replacements.items[0].types;
    check->types.items =
        arena_allocate_array(evaluation->arena, types->count + 1, sizeof *check->types.items);
    list_for_each (type, types)
        check->types.items[check->types.count++] = arena_copy_string(evaluation->arena, *type);
}

// --- the snapshot --------------------------------------------------------------------------------
static void add_busy(struct disruption_evaluation *evaluation,
                     const struct disruption_command *command, uint32_t most)
{
    struct control *control = evaluation->control;
    struct snapshot *snapshot = evaluation->snapshot;
    list_for_each (entry, &command->nodes) {
        const struct state_node *state = cluster_state_named(control->cluster, entry->node);
        if (state == NULL || evaluation->busy.count + 1 >= most)
            continue;
        const char *name = arena_copy_string(snapshot->arena, state_name(state));
        evaluation->busy.items[evaluation->busy.count++] = name;
        if (!state_marked(state))
            snapshot->marked_for_deletion.items[snapshot->marked_for_deletion.count++] = name;
    }
}

// The nodes of all commands count as disrupted, except of those that are validated here.
static void sort_commands(struct disruption_evaluation *evaluation, uint32_t due_count)
{
    struct control *control = evaluation->control;
    uint32_t most = cluster_count(control->cluster) + 1;
    evaluation->busy.items =
        arena_allocate_array(evaluation->arena, most, sizeof *evaluation->busy.items);
    evaluation->checks =
        arena_allocate_array(evaluation->arena, due_count + 1, sizeof *evaluation->checks);
    evaluation->ids =
        arena_allocate_array(evaluation->arena, due_count + 1, sizeof *evaluation->ids);
    struct map_entry *position = NULL;
    for (struct disruption_command *command;
         (command = commands_next(evaluation->parts->commands, &position)) != NULL;) {
        if (evaluation->checks_count < due_count &&
            is_for_check(control, evaluation->kind, command))
            add_check(evaluation, command);
        else
            add_busy(evaluation, command, most);
        if (command->number > evaluation->last_command)
            evaluation->last_command = command->number;
    }
}

static void add_inputs(struct disruption_evaluation *evaluation)
{
    const struct disruption_parts *parts = evaluation->parts;
    struct arena *arena = evaluation->arena;
    evaluation->paused_nodes = disruption_backoff_nodes(parts->backoff, arena);
    evaluation->moved_nodes = consolidation_target_nodes(parts->target, arena);
    evaluation->refused_nodes = disruption_backoff_refused(parts->backoff, arena);
    evaluation->paused_pools = disruption_backoff_pools(parts->backoff, arena);
    spot_price_history_observe(parts->spot_prices, evaluation->snapshot);
    evaluation->interruptions = interruptions_list(parts->interruptions, arena);
    evaluation->scheduled = consolidation_outcomes_scheduled(parts->outcomes, arena);
    evaluation->spot_prices =
        spot_price_history_list(parts->spot_prices, evaluation->snapshot, arena);
    evaluation->inputs =
        (struct disruption_inputs){.busy = &evaluation->busy,
                                   .paused_nodes = &evaluation->paused_nodes,
                                   .moved_nodes = &evaluation->moved_nodes,
                                   .refused_nodes = &evaluation->refused_nodes,
                                   .paused_pools = &evaluation->paused_pools,
                                   .spot_prices = &evaluation->spot_prices,
                                   .interruptions = &evaluation->interruptions,
                                   .scheduled = &evaluation->scheduled,
                                   .unguided = consolidation_outcomes_unguided(parts->outcomes),
                                   .expiry_lead_ns = node_timings_longest(parts->timings),
                                   .overlap_ns = node_timings_usual(parts->timings)};
    evaluation->inputs.guarded =
        consolidation_history_frozen(parts->history, arena, &evaluation->inputs.guarded_count);
}

struct disruption_evaluation *evaluation_create(const struct disruption_parts *parts,
                                                enum evaluation_kind kind)
{
    struct control *control = parts->control;
    uint32_t due_count = count_due(parts, kind);
    if (kind == EVALUATION_CHECK && due_count == 0)
        return NULL;
    struct disruption_evaluation *evaluation = memory_allocate(sizeof *evaluation);
    evaluation->kind = kind;
    evaluation->parts = parts;
    evaluation->control = control;
    evaluation->started_ns = loop_monotonic_ns(control->manager.loop);
    evaluation->arena = arena_create(64 * 1024);
    evaluation->snapshot = snapshot_build(&parts->sources, &evaluation->errors);
    sort_commands(evaluation, due_count);
    if (kind != EVALUATION_EMPTINESS)
        add_inputs(evaluation);
    return evaluation;
}

void evaluation_destroy(struct disruption_evaluation *evaluation)
{
    if (evaluation == NULL)
        return;
    if (evaluation->plan != NULL)
        plan_destroy(evaluation->plan);
    snapshot_destroy(evaluation->snapshot);
    arena_destroy(evaluation->arena);
    text_free(&evaluation->errors);
    free(evaluation);
}

// --- the decision --------------------------------------------------------------------------------
static void take_earlier(int64_t instant, int64_t now, int64_t *earliest)
{
    if (instant > now && instant < *earliest)
        *earliest = instant;
}

// The first instant after the snapshot at which a blocker ends by itself (DIS-705): a nomination, a
// pod's protection, a budget's window. INT64_MAX: none.
static int64_t snapshot_next_change(const struct snapshot *snapshot)
{
    int64_t earliest = INT64_MAX, now = snapshot->time;
    list_for_each (nomination, &snapshot->nominated)
        take_earlier(nomination->until, now, &earliest);
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++)
        take_earlier(nodepool_budgets_next_change(
                         (const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[i], now),
                     now, &earliest);
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        int64_t until;
        if (pod_protection((const struct pod *)snapshot->objects[KIND_POD].items[i], now, &until) ==
            PROTECTED_UNTIL)
            take_earlier(until, now, &earliest);
    }
    return earliest;
}

// Blockers that end by themselves matter only if a node may be empty or is blocked.
static void evaluate_emptiness(struct disruption_evaluation *evaluation)
{
    evaluation->plan = emptiness_plan(evaluation->snapshot, &evaluation->busy, evaluation->checks,
                                      evaluation->checks_count);
    assert(evaluation->plan->turns.count == 1);
    const struct plan_turn *turn = &evaluation->plan->turns.items[0];
    evaluation->checked = true;
    evaluation->waits = turn->eligible > 0 || turn->blocked > 0;
    evaluation->next_change =
        evaluation->waits ? snapshot_next_change(evaluation->snapshot) : INT64_MAX;
}

static void evaluate_methods(struct disruption_evaluation *evaluation, uint32_t methods)
{
    const struct plan_options options = {
        .disrupt = true, .methods = methods, .inputs = &evaluation->inputs};
    evaluation->plan = engine_plan(evaluation->snapshot, &options, &evaluation->error);
    evaluation->next_change = snapshot_next_change(evaluation->snapshot);
    if (evaluation->plan != NULL)
        take_earlier(evaluation->plan->look_again, evaluation->snapshot->time,
                     &evaluation->next_change);
}

void evaluation_work(struct disruption_evaluation *evaluation)
{
    switch (evaluation->kind) {
    case EVALUATION_EMPTINESS:
        evaluate_emptiness(evaluation);
        return;
    case EVALUATION_METHODS:
        evaluate_methods(evaluation, METHODS_BUT_EMPTINESS);
        return;
    case EVALUATION_DUE_NODES:
        evaluate_methods(evaluation, METHODS_OF_DUE_NODES);
        return;
    case EVALUATION_CHECK:
        evaluation->checked =
            disruption_revalidate(evaluation->snapshot, &evaluation->inputs, evaluation->arena,
                                  evaluation->checks, evaluation->checks_count, &evaluation->error);
    }
}

// --- results -------------------------------------------------------------------------------------
// NULL: a node is gone since.
static struct disruption_command *make_command(struct control *control,
                                               const struct plan_disruption *planned)
{
    struct disruption_command *command =
        command_create(control, NULL, planned->reason, planned->consolidation);
    command->savings = command->price = planned->savings;
    list_for_each (claim, &planned->replacements)
        command->price = quantity_add(command->price, claim->price);
    command_reserve(command, planned->candidates.count, planned->replacements.count);
    list_for_each (name, &planned->candidates) {
        const struct node *node = find_node(control, *name);
        const struct node_claim *claim =
            node != NULL ? cluster_claim_of(control->cluster, node, NULL) : NULL;
        if (claim == NULL) {
            command_destroy(command);
            return NULL;
        }
        command_add_node(control, command, node, claim);
    }
    list_for_each (claim, &planned->replacements)
        command_add_replacement(control, command, claim);
    command_set_moves(command, &planned->moves);
    return command;
}

// DIS-382.
static void report_candidate(struct control *control, const struct disruption_command *command,
                             const struct command_node *entry)
{
    struct text text = {0};
    command_describe_part(command, entry, &text);
    publish_of_node(&control->manager, find_node(control, entry->node),
                    find_claim(control, entry->claim), EVENT_CONSOLIDATION_CANDIDATE,
                    "Consolidation candidate: %s (savings: $%.2f)", text.data,
                    (double)command->savings / 1e9);
    text_free(&text);
}

static void report_command(struct control *control, const struct disruption_command *command)
{
    if (command->reason != DISRUPTION_UNDERUTILIZED)
        return;
    if (command->replacements.count > 0) // DIS-162, DIS-171, DIS-775
        list_for_each (entry, &command->nodes)
            report_candidate(control, command, entry);
}

// DIS-386, DIS-402.
static void report_score(struct control *control, const struct plan_score *score)
{
    const char *policy = score->pool->spec.disruption.consolidation_policy;
    const char *decision = score->approved ? "approved" : "rejected";
    const char *pool = score->pool->meta.name;
    policy = policy != NULL ? policy : "WhenEmptyOrUnderutilized";
    metric_add(control->metrics.consolidation_moves, 1,
               score->move_approved ? "approved" : "rejected", pool, policy);
    if (!score->is_balanced)
        return;
    // Moves without disruption cost have no bound.
    metric_observe(control->metrics.consolidation_score, score->score < 1000 ? score->score : 1000,
                   decision, pool, policy);
    const struct node *node =
        score->node != NULL ? find_node(control, score->node->meta.name) : NULL;
    const struct object *const about[] = {
        node != NULL ? (const struct object *)node
                     : (const struct object *)find_pool(control, pool),
        node != NULL ? (const struct object *)cluster_claim_of(control->cluster, node, NULL)
                     : NULL};
    for (size_t i = 0; i < ARRAY_LENGTH(about) && score->approved; i++)
        if (about[i] != NULL)
            publish(&control->manager, about[i], EVENT_CONSOLIDATION_APPROVED,
                    "score %.2f >= threshold 0.50 (k: 2, savings %.1f%%, disruption %.1f%%)",
                    score->score, 100 * score->savings, 100 * score->disruption);
}

static bool start_command(struct disruption_evaluation *evaluation,
                          const struct plan_disruption *planned)
{
    struct disruption_command *command = make_command(evaluation->control, planned);
    if (command == NULL)
        return false;
    report_command(evaluation->control, command);
    disruption_queue_add(evaluation->parts->queue, command);
    return true;
}

static uint32_t start_commands(struct disruption_evaluation *evaluation)
{
    list_for_each (score, &evaluation->plan->scores)
        report_score(evaluation->control, score);
    uint32_t started = 0;
    list_for_each (planned, &evaluation->plan->disruptions)
        if (evaluation->control->strategy->leaves_wanted_nodes &&
            wanted_nodes_refuse(evaluation->parts, planned))
            evaluation->has_refused = true;
        else
            started += start_command(evaluation, planned);
    return started;
}

// A command that began meanwhile may have used the budgets.
static bool has_newer_command(const struct disruption_evaluation *evaluation)
{
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = commands_next(evaluation->parts->commands, &position)) != NULL;)
        if (command->number > evaluation->last_command)
            return true;
    return false;
}

static uint32_t start_empty(struct disruption_evaluation *evaluation, bool may_start, bool *put_off)
{
    const struct disruption_parts *parts = evaluation->parts;
    const struct plan *plan = evaluation->plan;
    *put_off = plan->disruptions.count > 0 &&
               (!may_start || !capacity_buffers_settled(parts->sources.buffers) ||
                has_newer_command(evaluation));
    uint32_t started = 0;
    for (uint32_t i = 0; i < plan->disruptions.count && !*put_off; i++)
        if (emptiness_may_start(parts, &plan->disruptions.items[i]))
            started += start_command(evaluation, &plan->disruptions.items[i]);
    return started;
}

static void confirm(struct disruption_evaluation *evaluation, struct disruption_command *command,
                    const struct plan_moves *moves)
{
    struct control *control = evaluation->control;
    if (command_plans_places(control, command) || moves->count > 0)
        command_set_moves(command, moves);
    targets_hold(control, command);
    disruption_queue_confirm(evaluation->parts->queue, command);
}

static void judge(struct disruption_evaluation *evaluation, struct disruption_command *command,
                  const struct command_check *check)
{
    struct disruption_queue *queue = evaluation->parts->queue;
    const struct disruption_parts *parts = evaluation->parts;
    bool is_stale = evaluation->kind == EVALUATION_EMPTINESS &&
                    (!emptiness_still_holds(parts, command) ||
                     !command_within_budgets(evaluation->control, parts->commands, command));
    if (!evaluation->checked)
        disruption_queue_cancel(queue, command, CANCEL_UNKNOWN, evaluation->error.message);
    else if (check->kind != CANCEL_NONE)
        disruption_queue_cancel(queue, command, check->kind, check->message);
    else if (is_stale)
        disruption_queue_cancel(queue, command, CANCEL_CHURN,
                                "the candidate is no longer valid or would violate a budget");
    else {
        disruption_queue_leave_out(queue, command, &check->left_out, check->left_out_kind);
        confirm(evaluation, command, &check->moves);
    }
}

static uint32_t judge_commands(struct disruption_evaluation *evaluation)
{
    uint32_t judged = 0;
    for (uint32_t i = 0; i < evaluation->checks_count; i++) {
        struct disruption_command *command =
            commands_find(evaluation->parts->commands, evaluation->ids[i]);
        if (command == NULL)
            continue;
        command->is_checking = false;
        if (command->phase != COMMAND_WAIT)
            continue; // canceled meanwhile
        judged++;
        judge(evaluation, command, &evaluation->checks[i]);
    }
    return judged;
}

struct evaluation_outcome evaluation_carry_out(struct disruption_evaluation *evaluation,
                                               bool may_start)
{
    struct evaluation_outcome outcome = {0};
    if (evaluation->kind == EVALUATION_EMPTINESS)
        wanted_nodes_cancel(evaluation->parts);
    outcome.commands = judge_commands(evaluation);
    if (evaluation->kind == EVALUATION_CHECK)
        return outcome;
    if (evaluation->plan == NULL)
        log_error("Reconciler error", "s:controller", "disruption", "s:error",
                  evaluation->error.message);
    else if (evaluation->kind == EVALUATION_EMPTINESS)
        outcome.commands += start_empty(evaluation, may_start, &outcome.put_off);
    else
        outcome.commands += start_commands(evaluation);
    return outcome;
}
