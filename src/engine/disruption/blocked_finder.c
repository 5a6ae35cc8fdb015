#include "engine/disruption/blocked_finder.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

struct blocked_reason blocked_reason_make(const struct blocked_finder *finder, const char *rule,
                                          const char *format, ...)
{
    assert(rule != NULL);
    struct blocked_reason blocked = {.rule = rule};
    if (!finder->disruption->explains)
        return blocked;
    char buffer[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    text_repair(buffer);
    blocked.message = arena_copy_string(finder->disruption->plan->arena, buffer);
    return blocked;
}

void blocked_finder_begin(struct blocked_finder *finder, struct disruption *disruption,
                          uint32_t methods)
{
    assert(methods != 0 && (methods & ~METHODS_ALL) == 0);
    const struct problem *problem = disruption->problem;
    struct candidate_table *table = &disruption->table;
    *finder = (struct blocked_finder){.disruption = disruption, .methods = methods};
    finder->commanded = bitset_create(disruption->arena, problem->nodes.count);
    finder->taken =
        arena_allocate_array(disruption->arena, table->pools.count + 1, sizeof *finder->taken);
    finder->budgets = arena_allocate_array(disruption->arena,
                                           (size_t)(table->pools.count + 1) * BUDGET_REASONS_COUNT,
                                           sizeof *finder->budgets);
    list_for_each (command, &disruption->plan->disruptions)
        list_for_each (name, &command->candidates) {
            const struct state_node *state = map_get(problem->nodes.by_node_name, *name);
            assert(state != NULL);
            assert(!bitset_has(finder->commanded, (uint32_t)(state - problem->nodes.items)));
            bitset_set(finder->commanded, (uint32_t)(state - problem->nodes.items));
        }
    list_for_each (candidate, &table->candidates)
        finder->taken[candidate->pool - table->pools.items] +=
            bitset_has(finder->commanded, (uint32_t)(candidate->state - problem->nodes.items));
}
