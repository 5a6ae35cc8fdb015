#include "engine/disruption/disruption.h"

#include <string.h>

#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "engine/compile/compile.h"
#include "engine/disruption/blocked_reasons.h"
#include "engine/disruption/eligibility.h"
#include "engine/disruption/removal_simulation.h"
#include "engine/disruption/spot_window.h"
#include "engine/disruption/workload_guard.h"
#include "engine/pods/pod_budgets.h"
#include "model/reading/pod.h"

// --- what the methods share ----------------------------------------------------------------------

// DIS-753: a node is not empty for consolidation while a placeholder is on it.
static void find_placeholders(struct disruption *disruption)
{
    const struct problem *problem = disruption->problem;
    const struct removal_baseline *baseline = NULL;
    struct map *homes = map_create();
    for (uint32_t i = 0; disruption->better && i < problem->pods.queued_count; i++) {
        if (!problem->pods.queued[i].placeholder)
            continue;
        baseline = baseline != NULL ? baseline : removal_baseline_of(disruption);
        if (baseline->placeholder_nodes[i] != NULL)
            map_set(homes, baseline->placeholder_nodes[i]->name, homes);
    }
    list_for_each (candidate, &disruption->table.candidates)
        candidate->holds_placeholders =
            baseline != NULL && map_get(homes, candidate->state->name) != NULL;
    map_destroy(homes, NULL);
}

const struct state_node *disruption_node_of(const struct disruption *disruption,
                                            const struct queued_pod *queued)
{
    if (!queued->placeholder || disruption->baseline == NULL)
        return queued->on;
    return disruption->baseline->placeholder_nodes[queued->origin];
}

// DIS-708.
static void note_unreadable_budgets(struct disruption *disruption)
{
    const struct pod_budgets *budgets = disruption->problem->pods.budgets;
    for (uint32_t i = 0; i < budgets->unreadable_count; i++) {
        const struct pod_disruption_budget *budget = budgets->items[budgets->unreadable[i]];
        problem_note(
            disruption->problem, NOTE_EVENT_NORMAL, "DisruptionBlocked",
            (const struct object *)budget,
            budget->meta.unreadable != NULL
                ? "it cannot be read: no node with a pod of the namespace that could be "
                  "evicted is disrupted"
                : "spec.selector is invalid: no node with a pod of the namespace that could be "
                  "evicted is disrupted");
    }
}

struct candidate_table disruption_candidates(struct disruption *disruption,
                                             enum disruption_reason reason, bool eventual)
{
    const struct snapshot *snapshot = disruption->problem->snapshot;
    const struct candidate_options options = {.reason = reason,
                                              .busy = disruption->inputs->busy,
                                              .eventual = true,
                                              .problem = disruption->problem,
                                              .spot_prices = disruption->inputs->spot_prices,
                                              .plan = disruption->plan};
    if (disruption->table.pools.items == NULL) {
        disruption->table = candidates_build(disruption->arena, snapshot, &options);
        find_placeholders(disruption);
        note_unreadable_budgets(disruption);
    } else {
        candidates_apply_budgets(disruption->arena, snapshot, &disruption->table, reason);
    }
    struct candidate_table table = disruption->table;
    if (eventual)
        return table;
    table.candidates.count = 0;
    table.candidates.items = arena_allocate_array(
        disruption->arena, disruption->table.candidates.count + 1, sizeof *table.candidates.items);
    list_for_each (candidate, &disruption->table.candidates)
        if (candidate->blocked == NULL)
            table.candidates.items[table.candidates.count++] = *candidate;
    return table;
}

static void note_allowance(struct disruption *disruption, enum disruption_reason reason,
                           const struct disruption_pool *pool, struct plan_turn *turn)
{
    turn->pools.items[turn->pools.count++] = (struct plan_turn_pool){
        pool->pool, pool->total, pool->allowed, pool->disrupting,
        pool->budget_error != NULL ? arena_copy_string(disruption->plan->arena, pool->budget_error)
                                   : NULL};
    if (pool->total != 0 && pool->allowed == 0)
        problem_note(disruption->problem, NOTE_EVENT_NORMAL, "DisruptionBlocked",
                     (const struct object *)pool->pool,
                     arena_format(disruption->arena,
                                  "No allowed disruptions for disruption reason %s due to "
                                  "blocking budget",
                                  disruption_reason_name(reason)));
}

void disruption_turn(struct disruption *disruption, enum disruption_method method,
                     enum disruption_reason reason, uint32_t eligible)
{
    struct plan *plan = disruption->plan;
    if (plan->turns.items == NULL)
        plan->turns.items =
            arena_allocate_array(plan->arena, METHODS_COUNT, sizeof *plan->turns.items);
    if (plan->turns.count == METHODS_COUNT)
        return;
    struct plan_turn *turn = &plan->turns.items[plan->turns.count++];
    *turn = (struct plan_turn){.method = method, .reason = reason, .eligible = eligible};
    if (eligible == 0)
        return;
    turn->pools.items = arena_allocate_array(plan->arena, disruption->table.pools.count + 1,
                                             sizeof *turn->pools.items);
    list_for_each (pool, &disruption->table.pools)
        note_allowance(disruption, reason, pool, turn);
}

candidate_list candidate_list_create(struct disruption *disruption,
                                     const struct candidate_table *table)
{
    candidate_list list = {0};
    list.items =
        arena_allocate_array(disruption->arena, table->candidates.count + 1, sizeof *list.items);
    return list;
}

int64_t candidates_price(struct disruption_candidate *const *candidates, uint32_t count)
{
    int64_t price = 0;
    for (uint32_t i = 0; i < count; i++)
        price = quantity_add(price, candidates[i]->price);
    return price;
}

int64_t candidates_cost(const struct disruption *disruption,
                        struct disruption_candidate *const *candidates, uint32_t count)
{
    return quantity_add(candidates_price(candidates, count),
                        quantity_multiply(disruption->problem->catalog.node_cost, count));
}

struct plan_disruption *disruption_command(struct disruption *disruption,
                                           enum disruption_reason reason,
                                           enum consolidation_type consolidation,
                                           struct disruption_candidate *const *candidates,
                                           uint32_t count)
{
    struct plan *plan = disruption->plan;
    if (plan->disruptions.count == disruption->commands_capacity) {
        disruption->commands_capacity = 2 * disruption->commands_capacity + 4;
        struct plan_disruption *larger =
            arena_allocate_array(plan->arena, disruption->commands_capacity, sizeof *larger);
        if (plan->disruptions.count > 0)
            memcpy(larger, plan->disruptions.items, plan->disruptions.count * sizeof *larger);
        plan->disruptions.items = larger;
    }
    struct plan_disruption *command = &plan->disruptions.items[plan->disruptions.count++];
    *command = (struct plan_disruption){.reason = reason,
                                        .consolidation = consolidation,
                                        .savings = candidates_price(candidates, count)};
    command->candidates.items =
        arena_allocate_array(plan->arena, count + 1, sizeof *command->candidates.items);
    for (uint32_t i = 0; i < count; i++)
        command->candidates.items[command->candidates.count++] = candidates[i]->node->meta.name;
    return command;
}

void disruption_note(struct disruption *disruption, const char *reason,
                     const struct disruption_candidate *candidate, const char *message)
{
    if (message != NULL)
        problem_note(disruption->problem, NOTE_EVENT_NORMAL, reason,
                     (const struct object *)candidate->node, message);
}

static bool names(const struct string_list *list, const char *name)
{
    return list != NULL && string_list_has(list, name);
}

bool disruption_is_paused(struct disruption *disruption,
                          const struct disruption_candidate *candidate, bool drift)
{
    const struct disruption_inputs *inputs = disruption->inputs;
    const char *node = candidate->node->meta.name, *rule = "DIS-714", *why = NULL;
    if (drift && names(inputs->paused_pools, candidate->pool->pool->meta.name)) {
        rule = "DIS-716";
        why = "drift pauses: the NodePool's nodes have just drifted, or replacements failed";
    } else if (drift && names(inputs->refused_nodes, node)) {
        why = "drift is backing off: the node's pods would have gone elsewhere than planned";
    } else if (!drift && names(inputs->paused_nodes, node)) {
        why = "consolidation is backing off: it failed for this node";
    } else if (!drift && names(inputs->moved_nodes, node)) {
        rule = "DIS-794";
        why = "consolidation has launched the node, or evicted its pods twice, within the last "
              "day, and the "
              "load has not changed since";
    }
    if (why != NULL)
        disruption_note_blocked(disruption, candidate, rule, why);
    return why != NULL;
}

bool disruption_is_going(const struct disruption *disruption, const struct state_node *state)
{
    return bitset_has(disruption->going, (uint32_t)(state - disruption->problem->nodes.items));
}

static void find_going_places(struct disruption *disruption)
{
    const struct state_nodes *nodes = &disruption->problem->nodes;
    const struct string_list *busy = disruption->inputs->busy;
    disruption->going = bitset_create(disruption->arena, nodes->count);
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->items[i].marked_for_deletion)
            bitset_set(disruption->going, i);
    for (uint32_t i = 0; busy != NULL && i < busy->count; i++) {
        const struct state_node *state = map_get(nodes->by_node_name, busy->items[i]);
        if (state != NULL)
            bitset_set(disruption->going, (uint32_t)(state - nodes->items));
    }
}

// --- DIS-238 -------------------------------------------------------------------------------------

// DIS-719: the node never comes to rest, but each of the pods that would move has been there for
// long enough; the condition tells that the wait has lasted.
static bool is_settled(const struct problem *problem, const struct state_node *state, int64_t after)
{
    if (problem->settings->quiet_by_node ||
        !condition_is_true(&state->claim->status.conditions, "Consolidatable"))
        return false;
    bool any = false;
    list_for_each (pod, &state->pods) {
        if (!pod_needs_place(*pod))
            continue;
        any = true;
        int64_t bound_at = pod_bound_at(*pod);
        if (bound_at == 0 || ns_subtract(problem->snapshot->time, bound_at) < after)
            return false;
    }
    return any;
}

// One that may take new nodes (DIS-234), whether or not there are instance types for them now.
static const struct node_pool *open_pool_of(const struct problem *problem,
                                            const struct state_node *state)
{
    for (uint32_t i = 0; i < problem->templates.pools_count; i++)
        if (text_equal(problem->templates.pools[i].pool->meta.name, state->node_pool))
            return problem->templates.pools[i].pool;
    return NULL;
}

// The pool's nodes take no running pods until they have been quiet for consolidateAfter.
static bool is_quiet(const struct problem *problem, const struct schedulable_node *node)
{
    const struct node_claim *claim = node->state->claim;
    const struct node_pool *pool = open_pool_of(problem, node->state);
    if (pool == NULL || claim == NULL)
        return false;
    const struct duration *after = &pool->spec.disruption.consolidate_after;
    const struct condition *initialized = condition_find(&claim->status.conditions, "Initialized");
    if (consolidation_is_disabled(pool) || after->nanoseconds == 0 || initialized == NULL ||
        !text_equal(initialized->status, "True"))
        return false;
    int64_t since = claim->status.last_pod_event_time != 0 ? claim->status.last_pod_event_time
                                                           : initialized->last_transition_time;
    return ns_subtract(problem->snapshot->time, since) < after->nanoseconds &&
           !is_settled(problem, node->state, after->nanoseconds);
}

static void find_quiet_places(struct disruption *disruption)
{
    const struct problem *problem = disruption->problem;
    disruption->quiet = bitset_create(disruption->arena, problem->nodes.count);
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        if (is_quiet(problem, &problem->schedulable_nodes[i]))
            bitset_set(disruption->quiet, i);
}

static struct disruption start(const struct snapshot *snapshot,
                               const struct disruption_inputs *inputs, struct plan *plan,
                               struct arena *arena)
{
    static const struct disruption_inputs nothing = {0};
    return (struct disruption){.snapshot = snapshot,
                               .inputs = inputs != NULL ? inputs : &nothing,
                               .arena = arena,
                               .plan = plan,
                               .better = !snapshot->settings.compatibility_upstream};
}

static void use_problem(struct disruption *disruption, struct problem *problem)
{
    disruption->problem = problem;
    spot_window_raise(problem, disruption->inputs->spot_prices);
    disruption->simulator = simulator_create(problem, disruption->arena);
    find_quiet_places(disruption);
    find_going_places(disruption);
    blocked_reasons_begin(disruption);
}

void disruption_begin_with(struct disruption *disruption, struct problem *problem,
                           const struct disruption_inputs *inputs, struct plan *plan,
                           struct arena *arena)
{
    *disruption = start(problem->snapshot, inputs, plan, arena);
    disruption->problem_lent = true;
    use_problem(disruption, problem);
}

bool disruption_begin(struct disruption *disruption, const struct snapshot *snapshot,
                      const struct disruption_inputs *inputs, struct plan *plan,
                      struct arena *arena, struct error *error)
{
    *disruption = start(snapshot, inputs, plan, arena);
    disruption->problem = problem_create(snapshot, plan->arena, true);
    if (disruption->problem->error.kind != ERROR_NONE) {
        *error = disruption->problem->error;
        return false;
    }
    use_problem(disruption, disruption->problem);
    return true;
}

void disruption_end(struct disruption *disruption)
{
    workload_table_destroy(disruption->workloads);
    if (!disruption->problem_lent)
        problem_destroy(disruption->problem);
}
