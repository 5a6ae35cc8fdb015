#include "control/disruption/disruption_emptiness.h"

#include <string.h>

#include "base/nanoseconds.h"
#include "control/buffers/capacity_buffers.h"
#include "control/command/blocked_events.h"
#include "control/command/commands.h"
#include "control/command/consolidation_history.h"
#include "control/command/disruption_backoff.h"
#include "control/disruption/disruption_evaluation.h"
#include "control/disruption/disruption_queue.h"
#include "control/provisioning/snapshot_builder.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/pod_events.h"
#include "control/state/protection_events.h"
#include "control/state/state_node.h"
#include "engine/disruption/candidates.h"
#include "engine/disruption/emptiness.h"
#include "model/reading/pod.h"
#include "model/reading/pod_eviction.h"
#include "model/schema/condition_types.h"

#define NEW_POD_NS (30 * SECOND) // how long a pending pod may still find its place by itself

// --- pending pods that may want a node (DIS-725, DIS-765) ----------------------------------------
static bool taints_tolerated(const struct pod *pod, const struct node *node)
{
    list_for_each (taint, &node->spec.taints)
        if (!text_equal(taint->key, TAINT_DISRUPTED) &&
            !tolerations_tolerate(&pod->spec.tolerations, taint))
            return false;
    return true;
}

static bool may_run_on(struct arena *arena, const struct pod *pod, const struct node *node)
{
    list_for_each (selector, &pod->spec.node_selector)
        if (!text_equal(string_map_get(&node->meta.labels, selector->key), selector->value))
            return false;
    struct resource_map requests = pod_requests(arena, pod);
    list_for_each (request, &requests)
        if (request->value > resource_map_get(&node->status.allocatable, request->name))
            return false;
    return taints_tolerated(pod, node);
}

// Only pods that have not been waiting for long, or that will be planned anew in a moment: one that
// waits in vain must not keep empty nodes alive.
static bool is_wanted(struct arena *arena, const struct control *control, const struct node *node)
{
    const struct pod_list *pods = cluster_provisionable(control->cluster);
    int64_t now = manager_now(&control->manager);
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        const struct condition *condition =
            condition_find(&pod->status.conditions, CONDITION_POD_SCHEDULED);
        int64_t since =
            condition != NULL ? condition->last_transition_time : pod->meta.creation_timestamp;
        // What lies in the future is from before a clock was set back.
        bool is_new = ns_subtract(now, since) < NEW_POD_NS && ns_subtract(since, now) < NEW_POD_NS;
        bool waits = is_new || cluster_is_displaced(control->cluster, pod);
        if (waits && may_run_on(arena, pod, node))
            return true;
    }
    return false;
}

static bool any_node_wanted(struct arena *arena, const struct control *control,
                            const struct disruption_command *command)
{
    list_for_each (entry, &command->nodes) {
        const struct node *node = find_node(control, entry->node);
        if (node != NULL && is_wanted(arena, control, node))
            return true;
    }
    return false;
}

void emptiness_call_off_wanted(const struct disruption_parts *parts)
{
    struct control *control = parts->control;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct disruption_queue *queue = parts->queue;
    struct map_entry *position = NULL;
    if (cluster_provisionable(control->cluster)->count == 0)
        return;
    for (struct disruption_command *command;
         (command = commands_next(parts->commands, &position)) != NULL;)
        if (command->phase == COMMAND_WAIT && any_node_wanted(arena, control, command)) {
            disruption_queue_cancel(queue, command, CANCEL_CHURN,
                                    "a pending pod may run on the node");
            // The next sweep would choose them again at once (DIS-714).
            if (command->reason == DISRUPTION_DRIFTED)
                list_for_each (entry, &command->nodes)
                    disruption_backoff_drift_refused(parts->backoff, entry->node);
        }
}

// --- one turn of emptiness -----------------------------------------------------------------------
struct turn {
    const struct disruption_parts *parts;
    struct control *control;
    struct arena *arena;
    struct string_list busy, due; // Node names
};

static bool is_due_emptiness(const struct control *control,
                             const struct disruption_command *command)
{
    return command_is_of_emptiness(control, command) && command_is_due(control, command);
}

static void gather_commands(struct turn *turn)
{
    uint32_t count = commands_nodes(turn->parts->commands);
    turn->busy.items = arena_allocate_array(turn->arena, count + 1, sizeof *turn->busy.items);
    turn->due.items = arena_allocate_array(turn->arena, count + 1, sizeof *turn->due.items);
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = commands_next(turn->parts->commands, &position)) != NULL;) {
        struct string_list *list =
            is_due_emptiness(turn->control, command) ? &turn->due : &turn->busy;
        list_for_each (entry, &command->nodes)
            list->items[list->count++] = entry->node;
    }
}

// The Nodes' names, so that many at once are found quickly.
static struct map *index_taken(const struct emptiness *emptiness)
{
    struct map *taken = map_create();
    list_for_each (candidate, &emptiness->taken)
        map_set(taken, (*candidate)->node->meta.name, (void *)(uintptr_t)*candidate);
    return taken;
}

// DIS-262.
static void validate(struct turn *turn, const struct emptiness *emptiness)
{
    struct disruption_queue *queue = turn->parts->queue;
    struct map *taken = index_taken(emptiness);
    struct map_entry *position = NULL;
    for (struct disruption_command *command;
         (command = commands_next(turn->parts->commands, &position)) != NULL;) {
        if (!is_due_emptiness(turn->control, command))
            continue;
        if (map_get(taken, command->nodes.items[0].node) != NULL)
            disruption_queue_confirm(queue, command);
        else
            disruption_queue_cancel(queue, command, CANCEL_CHURN,
                                    "the candidate is no longer valid or would violate a budget");
    }
    map_destroy(taken, NULL);
}

// DIS-752: its NodePool's nodes are launched again soon after they went.
static bool is_kept_for_a_while(const struct disruption_parts *parts,
                                const struct node_claim *claim)
{
    const struct control *control = parts->control;
    int64_t quiet_ns = consolidation_history_quiet_ns(
        parts->history, label_or_empty((const struct object *)claim, LABEL_NODE_POOL));
    const struct condition *initialized =
        condition_find(&claim->status.conditions, CONDITION_INITIALIZED);
    int64_t since = pod_events_last(parts->pod_events, claim);
    if (since == 0 && initialized != NULL)
        since = initialized->last_transition_time;
    return quiet_ns > 0 && ns_subtract(manager_now(&control->manager), since) < quiet_ns;
}

static void start_command(const struct disruption_parts *parts,
                          const struct disruption_candidate *candidate)
{
    struct control *control = parts->control;
    const struct node *node = find_node(control, candidate->node->meta.name);
    const struct node_claim *claim =
        node != NULL ? cluster_claim_of(control->cluster, node, NULL) : NULL;
    if (claim == NULL || is_kept_for_a_while(parts, claim))
        return;
    struct disruption_command *command =
        command_create(control, NULL, DISRUPTION_EMPTY, CONSOLIDATION_EMPTY);
    command_reserve(command, 1, 0);
    command_add_node(control, command, node, claim);
    command->savings = command->price = candidate->price;
    disruption_queue_add(parts->queue, command);
}

static void start_commands(struct turn *turn, const struct emptiness *emptiness, bool may_start,
                           bool *put_off)
{
    struct control *control = turn->control;
    if (emptiness->taken.count == 0)
        return;
    if (!may_start || !capacity_buffers_settled(turn->parts->sources.buffers)) {
        *put_off = true;
        return;
    }
    list_for_each (candidate, &emptiness->taken) {
        const char *name = (*candidate)->node->meta.name;
        if (!commands_has(turn->parts->commands, name) &&
            !is_wanted(turn->arena, control, (*candidate)->node))
            start_command(turn->parts, *candidate);
    }
}

// --- telling -------------------------------------------------------------------------------------
// DIS-772: a method wants the node, and is barred from it (DIS-34).
static bool is_wanted_in_vain(const struct disruption_block *block)
{
    const struct node_claim *claim = block->claim;
    if (claim == NULL)
        return false;
    bool bars_drift =
        block->check < CHECK_UNREADABLE_POD || claim->spec.termination_grace_period.text == NULL;
    return condition_is_true(&claim->status.conditions, CONDITION_CONSOLIDATABLE) ||
           (bars_drift && condition_is_true(&claim->status.conditions, CONDITION_DRIFTED));
}

static void tell_pool(const struct turn *turn, const struct emptiness *emptiness,
                      const struct disruption_pool *pool)
{
    struct control *control = turn->control;
    const char *name = pool->pool->meta.name;
    metric_set(control->metrics.pool_allowed_disruptions, (double)pool->allowed, name,
               disruption_reason_name(DISRUPTION_EMPTY));
    metric_set(control->metrics.pool_consuming_budgets, (double)pool->disrupting, name,
               disruption_reason_name(DISRUPTION_EMPTY));
    if (pool->budget_error != NULL)
        log_error("detected disruption budget errors", "s:controller", "disruption", "s:error",
                  pool->budget_error);
    if (emptiness->eligible.count > 0 && pool->total != 0 && pool->allowed == 0)
        publish(&control->manager, (const struct object *)pool->pool, EVENT_DISRUPTION_BLOCKED_POOL,
                "No allowed disruptions for disruption reason Empty due to blocking budget");
}

// DIS-41: of pods whose nodes a method wants.
static void tell_protections(const struct disruption_parts *parts)
{
    struct control *control = parts->control;
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        const struct node *node = state_only_node(state);
        const struct node_claim *claim = state_only_claim(state);
        if (node == NULL || claim == NULL || state_marked(state) ||
            (!condition_is_true(&claim->status.conditions, CONDITION_CONSOLIDATABLE) &&
             !condition_is_true(&claim->status.conditions, CONDITION_DRIFTED)))
            continue;
        const struct pod_list *pods = cluster_pods(control->cluster, node->meta.name);
        for (uint32_t i = 0; i < pods->count; i++)
            if (pod_is_active(pods->items[i]))
                protection_events_tell(parts->protection_events, pods->items[i]);
    }
}

static void tell(struct turn *turn, const struct emptiness *emptiness)
{
    struct control *control = turn->control;
    metric_set(control->metrics.disruption_eligible, emptiness->eligible.count,
               disruption_reason_label(DISRUPTION_EMPTY));
    list_for_each (pool, &emptiness->table.pools)
        tell_pool(turn, emptiness, pool);
    list_for_each (block, &emptiness->table.blocks)
        if (is_wanted_in_vain(block))
            blocked_events_tell(turn->parts->blocked_events, LOOKER_EMPTINESS,
                                EVENT_DISRUPTION_BLOCKED, block->node, block->claim,
                                block->message);
    list_for_each (block, &emptiness->unconsolidatable)
        blocked_events_tell(turn->parts->blocked_events, LOOKER_EMPTINESS, EVENT_UNCONSOLIDATABLE,
                            block->node, block->claim, block->message);
    blocked_events_end(turn->parts->blocked_events, LOOKER_EMPTINESS, true);
    tell_protections(turn->parts);
}

static bool may_be_empty(const struct disruption_parts *parts, const struct state_node *state)
{
    struct control *control = parts->control;
    const struct node *node = state_only_node(state);
    const struct node_claim *claim = state_only_claim(state);
    if (node == NULL || claim == NULL || state_marked(state) ||
        !condition_is_true(&claim->status.conditions, CONDITION_CONSOLIDATABLE) ||
        commands_has(parts->commands, node->meta.name))
        return false;
    const struct pod_list *pods = cluster_pods(control->cluster, node->meta.name);
    for (uint32_t i = 0; i < pods->count; i++)
        if (pod_needs_place(pods->items[i]) && pod_eviction_cost(pods->items[i]) > 0) // DIS-57
            return false;
    return true;
}

bool emptiness_is_possible(const struct disruption_parts *parts)
{
    struct control *control = parts->control;
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;)
        if (!state->kept_empty && may_be_empty(parts, state))
            return true;
    return false;
}

// What is left when all commands have begun is kept by a budget, a nomination, a quiet time, ...
static void note_kept(const struct disruption_parts *parts, bool put_off)
{
    struct control *control = parts->control;
    struct map_entry *position = NULL;
    for (struct state_node *state; (state = cluster_next(control->cluster, &position)) != NULL;)
        state->kept_empty = !put_off && may_be_empty(parts, state);
}

struct emptiness_outcome emptiness_turn(const struct disruption_parts *parts, bool may_start)
{
    struct control *control = parts->control;
    struct emptiness_outcome outcome = {.next_change = INT64_MAX};
    int64_t started_ns = loop_monotonic_ns(control->manager.loop);
    struct text errors = {0};
    struct turn turn = {.parts = parts, .control = control, .arena = arena_create(64 * 1024)};
    struct snapshot *snapshot = snapshot_build(&parts->sources, &errors);
    gather_commands(&turn);
    struct emptiness emptiness = emptiness_find(turn.arena, snapshot, &turn.busy, &turn.due);
    emptiness_call_off_wanted(parts);
    validate(&turn, &emptiness);
    start_commands(&turn, &emptiness, may_start, &outcome.put_off);
    note_kept(parts, outcome.put_off);
    tell(&turn, &emptiness);
    outcome.waits =
        emptiness.refused || emptiness.table.blocks.count > 0 || emptiness.eligible.count > 0;
    if (outcome.waits)
        outcome.next_change = snapshot_next_change(snapshot);
    metric_observe(
        control->metrics.disruption_evaluation_seconds,
        (double)ns_subtract(loop_monotonic_ns(control->manager.loop), started_ns) / SECOND,
        disruption_reason_label(DISRUPTION_EMPTY), consolidation_type_label(CONSOLIDATION_EMPTY));
    snapshot_destroy(snapshot);
    arena_destroy(turn.arena);
    text_free(&errors);
    return outcome;
}
