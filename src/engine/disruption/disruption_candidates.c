#include "engine/disruption/disruption_candidates.h"

#include <assert.h>

#include "base/map.h"
#include "engine/disruption/removal_simulation.h"
#include "engine/pods/pdb.h"

// DIS-753: a node is not empty for consolidation while a placeholder is on it.
static void find_placeholders(struct disruption *disruption)
{
    const struct problem *problem = disruption->problem;
    const struct removal_baseline *baseline = NULL;
    struct map *names = map_create();
    for (uint32_t i = 0; disruption->strategy->minds_placeholders && i < problem->pods.queued_count;
         i++) {
        if (!problem->pods.queued[i].placeholder)
            continue;
        baseline = baseline != NULL ? baseline : removal_baseline_of(disruption);
        assert(problem->pods.queued[i].origin == i);
        if (baseline->placeholder_nodes[i] != NULL)
            map_set(names, baseline->placeholder_nodes[i]->name, names);
    }
    list_for_each (candidate, &disruption->table.candidates)
        candidate->holds_placeholders =
            baseline != NULL && map_get(names, candidate->state->name) != NULL;
    map_destroy(names, NULL);
}

// DIS-708.
static void note_unreadable_budgets(struct disruption *disruption)
{
    const struct pdb_index *budgets = disruption->problem->pods.budgets;
    for (uint32_t i = 0; i < budgets->unreadable_count; i++) {
        assert(budgets->unreadable[i] < budgets->count);
        const struct pod_disruption_budget *budget = budgets->items[budgets->unreadable[i]];
        problem_event(
            disruption->problem, EVENT_DISRUPTION_BLOCKED_POOL, (const struct object *)budget,
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
        problem_event(disruption->problem, EVENT_DISRUPTION_BLOCKED_POOL,
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
    assert(eligible <= disruption->table.candidates.count);
    assert(method > METHOD_ANY && reason < BUDGET_REASONS_COUNT);
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
