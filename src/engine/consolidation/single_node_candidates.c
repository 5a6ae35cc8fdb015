#include "engine/consolidation/single_node_candidates.h"

#include <assert.h>

#include "engine/consolidation/consolidation.h"
#include "engine/disruption/disruption_candidates.h"

// DIS-214: the first of each pool, then the second of each; pools by name.
static candidate_list interleave(struct disruption *disruption, const struct candidate_table *table,
                                 const candidate_list *sorted)
{
    candidate_list list = candidate_list_create(disruption, table);
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    uint32_t *start = arena_allocate_array(scratch, table->pools.count + 2, sizeof *start);
    uint32_t *by_pool = arena_allocate_array(scratch, sorted->count + 1, sizeof *by_pool);
    for (uint32_t i = 0; i < sorted->count; i++)
        start[sorted->items[i]->pool - table->pools.items + 2]++;
    for (uint32_t p = 2; p < table->pools.count + 2; p++)
        start[p] += start[p - 1];
    for (uint32_t i = 0; i < sorted->count; i++)
        by_pool[start[sorted->items[i]->pool - table->pools.items + 1]++] = i;
    for (uint32_t round = 0; list.count < sorted->count; round++)
        for (uint32_t p = 0; p < table->pools.count; p++)
            if (start[p] + round < start[p + 1])
                list.items[list.count++] = sorted->items[by_pool[start[p] + round]];
    return list;
}

candidate_list single_node_candidates(struct disruption *disruption,
                                      const struct candidate_table *table)
{
    candidate_list sorted = consolidation_candidates(disruption, table);
    disruption_turn(disruption, METHOD_SINGLE, DISRUPTION_UNDERUTILIZED, sorted.count);
    return interleave(disruption, table, &sorted);
}
