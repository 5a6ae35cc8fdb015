#include "engine/disruption/disruption_candidates.h"

#include <assert.h>

#include "base/map.h"
#include "engine/disruption/removal_simulation.h"
#include "engine/pods/pdb.h"

// DIS-753: a node with a placeholder is not empty for consolidation.
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

const char *disruption_budget_note(struct arena *arena, const struct disruption_pool *pool,
                                   enum disruption_reason reason)
{
    if (pool->total == 0 || pool->allowed != 0)
        return NULL;
    return arena_format(arena,
                        "No allowed disruptions for disruption reason %s due to blocking budget",
                        disruption_reason_name(reason));
}

void disruption_add_turn(struct plan *plan, const struct candidate_table *table,
                         enum disruption_method method, enum disruption_reason reason,
                         uint32_t eligible)
{
    assert(method > METHOD_ANY && reason < BUDGET_REASONS_COUNT);
    assert(eligible <= table->candidates.count);
    if (plan->turns.items == NULL)
        plan->turns.items =
            arena_allocate_array(plan->arena, METHODS_COUNT, sizeof *plan->turns.items);
    assert(plan->turns.count < METHODS_COUNT);
    struct plan_turn *turn = &plan->turns.items[plan->turns.count++];
    *turn = (struct plan_turn){
        .method = method, .reason = reason, .eligible = eligible, .blocked = table->blocks.count};
    // DIS-405: only with candidates. Emptiness checks all nodes each time, so its budgets are
    // always up to date.
    if (eligible == 0 && method != METHOD_EMPTINESS)
        return;
    turn->pools.items =
        arena_allocate_array(plan->arena, table->pools.count + 1, sizeof *turn->pools.items);
    list_for_each (pool, &table->pools)
        turn->pools.items[turn->pools.count++] = (struct plan_turn_pool){
            pool->pool, pool->total, pool->allowed, pool->disrupting,
            pool->budget_error != NULL ? arena_copy_string(plan->arena, pool->budget_error) : NULL};
}

void disruption_turn(struct disruption *disruption, enum disruption_method method,
                     enum disruption_reason reason, uint32_t eligible)
{
    if (disruption->plan->turns.count == METHODS_COUNT)
        return;
    disruption_add_turn(disruption->plan, &disruption->table, method, reason, eligible);
    list_for_each (pool, &disruption->table.pools) {
        const char *message =
            eligible > 0 ? disruption_budget_note(disruption->arena, pool, reason) : NULL;
        if (message != NULL)
            problem_event(disruption->problem, EVENT_DISRUPTION_BLOCKED_POOL,
                          (const struct object *)pool->pool, message);
    }
}
