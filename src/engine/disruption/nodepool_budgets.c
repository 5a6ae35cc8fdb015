#include "engine/disruption/nodepool_budgets.h"

#include <assert.h>

bool nodepool_budgets_allowed(const struct node_pool *pool, enum disruption_reason reason,
                              int64_t total, int64_t now, int64_t *allowed, struct error *error)
{
    assert(reason < BUDGET_REASONS_COUNT && total >= 0);
    *allowed = BUDGET_UNLIMITED;
    list_for_each (budget, &pool->spec.disruption.budgets) {
        bool active;
        int64_t value = 0;
        if (!budget_is_active(budget, now, &active, error) ||
            (active && !budget_nodes(budget, total, &value, error))) {
            *allowed = 0;
            return false;
        }
        if (active && budget_has_reason(budget, reason) && value < *allowed)
            *allowed = value;
    }
    return true;
}

uint32_t nodepool_budgets_deciding(const struct node_pool *pool, enum disruption_reason reason,
                                   int64_t total, int64_t now)
{
    assert(reason < BUDGET_REASONS_COUNT);
    assert(total >= 0);
    uint32_t least = UINT32_MAX;
    int64_t lowest = BUDGET_UNLIMITED;
    for (uint32_t i = 0; i < pool->spec.disruption.budgets.count; i++) {
        const struct node_pool_budget *budget = &pool->spec.disruption.budgets.items[i];
        struct error error;
        bool active;
        int64_t value = 0;
        if (!budget_is_active(budget, now, &active, &error) ||
            (active && !budget_nodes(budget, total, &value, &error)))
            return i;
        if (active && budget_has_reason(budget, reason) && value < lowest) {
            lowest = value;
            least = i;
        }
    }
    return least;
}

int64_t nodepool_budgets_next_change(const struct node_pool *pool, int64_t now)
{
    int64_t next = INT64_MAX;
    list_for_each (budget, &pool->spec.disruption.budgets) {
        struct budget_window window;
        bool active;
        struct error error;
        if (!budget_is_active(budget, now, &active, &error))
            return INT64_MAX;
        if (!budget_has_reasons(budget) || !budget_next_window(budget, now, &window))
            continue;
        int64_t change = window.start > now ? window.start : window.end;
        assert(change > now);
        next = change < next ? change : next;
    }
    return next;
}
