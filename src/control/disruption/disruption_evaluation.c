#include "control/disruption/disruption_evaluation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/quantity.h"
#include "control/command/commands.h"
#include "control/command/consolidation_history.h"
#include "control/command/consolidation_outcomes.h"
#include "control/command/consolidation_target.h"
#include "control/command/disruption_backoff.h"
#include "control/command/interruptions.h"
#include "control/command/node_timings.h"
#include "control/command/spot_price_history.h"
#include "control/disruption/disruption_queue.h"
#include "control/provisioning/snapshot_builder.h"
#include "control/state/cluster.h"
#include "control/state/state_node.h"
#include "engine/disruption/nodepool_budgets.h"
#include "engine/engine.h"
#include "model/reading/pod.h"

// --- the snapshot --------------------------------------------------------------------------------
// The nodes of all commands, but of those that are being checked, go.
static void mark_busy(struct disruption_evaluation *sweep)
{
    struct control *control = sweep->control;
    struct snapshot *snapshot = sweep->snapshot;
    struct map_entry *position = NULL;
    uint32_t most = cluster_count(control->cluster) + 1;
    sweep->busy.items = arena_allocate_array(sweep->arena, most, sizeof *sweep->busy.items);
    for (const struct disruption_command *command;
         (command = commands_next(sweep->parts->commands, &position)) != NULL;) {
        if (command->is_checking)
            continue;
        list_for_each (entry, &command->nodes) {
            const struct node *node = find_node(control, entry->node);
            const struct state_node *state =
                node != NULL ? cluster_state_of_node(control->cluster, node) : NULL;
            if (state == NULL || sweep->busy.count + 1 >= most)
                continue;
            const char *name = arena_copy_string(snapshot->arena, state_name(state));
            sweep->busy.items[sweep->busy.count++] = name;
            if (!state_marked(state))
                snapshot->marked_for_deletion.items[snapshot->marked_for_deletion.count++] = name;
        }
    }
}

struct disruption_evaluation *evaluation_create(const struct disruption_parts *parts)
{
    struct control *control = parts->control;
    struct disruption_evaluation *sweep = memory_allocate(sizeof *sweep);
    sweep->parts = parts;
    sweep->control = control;
    sweep->started_ns = loop_monotonic_ns(control->manager.loop);
    sweep->arena = arena_create(64 * 1024);
    sweep->snapshot = snapshot_build(&parts->sources, &sweep->errors);
    mark_busy(sweep);
    sweep->paused_nodes = disruption_backoff_nodes(parts->backoff, sweep->arena);
    sweep->moved_nodes = consolidation_target_nodes(parts->target, sweep->arena);
    sweep->refused_nodes = disruption_backoff_refused(parts->backoff, sweep->arena);
    sweep->paused_pools = disruption_backoff_pools(parts->backoff, sweep->arena);
    spot_price_history_observe(parts->spot_prices, sweep->snapshot);
    sweep->interruptions = interruptions_list(parts->interruptions, sweep->arena);
    sweep->scheduled = consolidation_outcomes_scheduled(parts->outcomes, sweep->arena);
    sweep->spot_prices = spot_price_history_list(parts->spot_prices, sweep->snapshot, sweep->arena);
    sweep->inputs =
        (struct disruption_inputs){.busy = &sweep->busy,
                                   .paused_nodes = &sweep->paused_nodes,
                                   .moved_nodes = &sweep->moved_nodes,
                                   .refused_nodes = &sweep->refused_nodes,
                                   .paused_pools = &sweep->paused_pools,
                                   .spot_prices = &sweep->spot_prices,
                                   .interruptions = &sweep->interruptions,
                                   .scheduled = &sweep->scheduled,
                                   .without_emptiness = true,
                                   .expiry_lead_ns = node_timings_longest(parts->timings),
                                   .overlap_ns = node_timings_usual(parts->timings)};
    sweep->inputs.guarded =
        consolidation_history_frozen(parts->history, sweep->arena, &sweep->inputs.guarded_count);
    return sweep;
}

static bool is_for_check(const struct control *control, const struct disruption_command *command)
{
    return command_is_due(control, command) && !command_is_of_emptiness(control, command);
}

static void add_check(struct disruption_evaluation *sweep, const struct disruption_command *command)
{
    struct command_check *check = &sweep->checks[sweep->checks_count];
    sweep->ids[sweep->checks_count++] = arena_copy_string(sweep->arena, command->id);
    *check = (struct command_check){.reason = command->reason,
                                    .replacements = command->replacements.count};
    check->nodes.items =
        arena_allocate_array(sweep->arena, command->nodes.count + 1, sizeof *check->nodes.items);
    list_for_each (entry, &command->nodes)
        if (!entry->gone)
            check->nodes.items[check->nodes.count++] = arena_copy_string(sweep->arena, entry->node);
    if (command->replacements.count != 1)
        return;
    const struct string_list *types = &command->replacements.items[0].types;
    check->types.items =
        arena_allocate_array(sweep->arena, types->count + 1, sizeof *check->types.items);
    list_for_each (type, types)
        check->types.items[check->types.count++] = arena_copy_string(sweep->arena, *type);
}

struct disruption_evaluation *evaluation_create_check(const struct disruption_parts *parts)
{
    const struct control *control = parts->control;
    uint32_t most = 0;
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = commands_next(parts->commands, &position)) != NULL;)
        most += is_for_check(control, command);
    if (most == 0)
        return NULL;
    struct arena *arena = arena_create(4096);
    struct disruption_command **commands = arena_allocate_array(arena, most, sizeof *commands);
    uint32_t count = 0;
    position = NULL;
    for (struct disruption_command *command;
         (command = commands_next(parts->commands, &position)) != NULL;)
        if (is_for_check(control, command))
            commands[count++] = command;
    for (uint32_t i = 0; i < count; i++)
        commands[i]->is_checking = true;
    struct disruption_evaluation *sweep = evaluation_create(parts);
    sweep->checks = arena_allocate_array(sweep->arena, count, sizeof *sweep->checks);
    sweep->ids = arena_allocate_array(sweep->arena, count, sizeof *sweep->ids);
    for (uint32_t i = 0; i < count; i++)
        add_check(sweep, commands[i]);
    arena_destroy(arena);
    return sweep;
}

void evaluation_destroy(struct disruption_evaluation *sweep)
{
    if (sweep == NULL)
        return;
    if (sweep->plan != NULL)
        plan_destroy(sweep->plan);
    snapshot_destroy(sweep->snapshot);
    arena_destroy(sweep->arena);
    text_free(&sweep->errors);
    free(sweep);
}

// --- the decision --------------------------------------------------------------------------------
static void take_earlier(int64_t instant, int64_t now, int64_t *earliest)
{
    if (instant > now && instant < *earliest)
        *earliest = instant;
}

int64_t snapshot_next_change(const struct snapshot *snapshot)
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

void evaluation_work(struct disruption_evaluation *sweep)
{
    if (sweep->checks_count > 0) {
        sweep->checked = disruption_revalidate(sweep->snapshot, &sweep->inputs, sweep->arena,
                                               sweep->checks, sweep->checks_count, &sweep->error);
        return;
    }
    const struct plan_options options = {.disrupt = true, .inputs = &sweep->inputs};
    sweep->plan = engine_plan(sweep->snapshot, &options, &sweep->error);
    sweep->next_change = snapshot_next_change(sweep->snapshot);
    if (sweep->plan != NULL)
        take_earlier(sweep->plan->look_again, sweep->snapshot->time, &sweep->next_change);
}

// --- what comes of it ----------------------------------------------------------------------------
// NULL: a node has gone since.
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
static void tell_candidate(struct control *control, const struct disruption_command *command,
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

static void tell_command(struct control *control, const struct disruption_command *command)
{
    if (command->reason != DISRUPTION_UNDERUTILIZED)
        return;
    if (command->replacements.count > 0) // DIS-162, DIS-171, DIS-775
        list_for_each (entry, &command->nodes)
            tell_candidate(control, command, entry);
}

// DIS-386, DIS-402.
static void tell_score(struct control *control, const struct plan_score *score)
{
    const char *policy = score->pool->spec.disruption.consolidation_policy;
    const char *decision = score->approved ? "approved" : "rejected";
    const char *pool = score->pool->meta.name;
    policy = policy != NULL ? policy : "WhenEmptyOrUnderutilized";
    metric_add(control->metrics.consolidation_moves, 1,
               score->move_approved ? "approved" : "rejected", pool, policy);
    if (!score->is_balanced)
        return;
    // What costs nothing scores without bound.
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

static uint32_t start_commands(struct disruption_evaluation *sweep)
{
    struct control *control = sweep->control;
    list_for_each (score, &sweep->plan->scores)
        tell_score(control, score);
    uint32_t started = 0;
    list_for_each (planned, &sweep->plan->disruptions) {
        struct disruption_command *command = make_command(control, planned);
        if (command == NULL)
            continue;
        tell_command(control, command);
        disruption_queue_add(sweep->parts->queue, command);
        started++;
    }
    return started;
}

// DIS-755: nodes that an empty one's pods go to are kept for them.
static void confirm(struct disruption_evaluation *sweep, struct disruption_command *command,
                    const struct plan_moves *moves)
{
    struct control *control = sweep->control;
    if (command_plans_places(control, command)) {
        command_set_moves(command, moves);
        list_for_each (move, &command->moves) {
            const struct node *node = move->node != NULL ? find_node(control, move->node) : NULL;
            struct state_node *state =
                node != NULL ? cluster_state_of_node(control->cluster, node) : NULL;
            if (state != NULL)
                cluster_hold(control->cluster, state, 0);
        }
    }
    disruption_queue_confirm(sweep->parts->queue, command);
}

static uint32_t judge_commands(struct disruption_evaluation *sweep)
{
    struct disruption_queue *queue = sweep->parts->queue;
    uint32_t judged = 0;
    for (uint32_t i = 0; i < sweep->checks_count; i++) {
        struct disruption_command *command = commands_find(sweep->parts->commands, sweep->ids[i]);
        if (command == NULL)
            continue;
        command->is_checking = false;
        if (command->phase != COMMAND_WAIT)
            continue; // called off meanwhile
        judged++;
        if (!sweep->checked)
            disruption_queue_cancel(queue, command, CANCEL_UNKNOWN, sweep->error.message);
        else if (sweep->checks[i].kind == CANCEL_NONE)
            confirm(sweep, command, &sweep->checks[i].moves);
        else
            disruption_queue_cancel(queue, command, sweep->checks[i].kind,
                                    sweep->checks[i].message);
    }
    return judged;
}

uint32_t evaluation_carry_out(struct disruption_evaluation *sweep)
{
    if (sweep->checks_count > 0)
        return judge_commands(sweep);
    if (sweep->plan != NULL)
        return start_commands(sweep);
    log_error("Reconciler error", "s:controller", "disruption", "s:error", sweep->error.message);
    return 0;
}
