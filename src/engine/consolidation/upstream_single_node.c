#include "engine/consolidation/upstream_single_node.h"

#include "engine/consolidation/balanced_policy.h"
#include "engine/consolidation/blocked_moves.h"
#include "engine/consolidation/single_node_search.h"
#include "engine/disruption/evictions.h"

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

void upstream_single_node_decide(struct disruption *disruption)
{
    struct candidate_table table =
        disruption_candidates(disruption, DISRUPTION_UNDERUTILIZED, false);
    candidate_list sorted = consolidation_candidates(disruption, &table);
    disruption_turn(disruption, METHOD_SINGLE, DISRUPTION_UNDERUTILIZED, sorted.count);
    candidate_list list = interleave(disruption, &table, &sorted);
    if (disruption->better) {
        single_node_search_decide(disruption, &list);
        return;
    }
    struct evictions evictions = evictions_create(disruption);
    for (uint32_t i = 0; i < list.count; i++) {
        struct disruption_candidate *candidate = list.items[i];
        if (candidate->pool->remaining == 0 || !evictions_allow(&evictions, candidate, false))
            continue;
        if (!balanced_policy_may_approve(candidate)) {
            blocked_score_note(disruption, candidate, "DIS-196", candidate->price);
            continue;
        }
        struct consolidation_move move = consolidate(disruption, &candidate, 1);
        bool found =
            move.kind != MOVE_NONE && balanced_policy_approves(&candidate, 1, move.payback.saving);
        if (found)
            move_command(disruption, &move, CONSOLIDATION_SINGLE, &candidate, 1);
        else
            disruption_note(disruption, "Unconsolidatable", candidate, move.why);
        if (!found && move.kind != MOVE_NONE)
            balanced_policy_note_scores(disruption, &candidate, 1, move.payback.saving);
        if (!found)
            blocked_move_note(disruption, candidate, &move);
        move_free(&move);
        if (found)
            return;
    }
}
