#include "engine/consolidation/upstream_multi_node.h"

#include <assert.h>

#include "engine/consolidation/balanced_policy.h"
#include "engine/consolidation/consolidation.h"
#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/evictions.h"

#define BATCH_MAX 100 // DIS-200 step 3

// DIS-132: as the budgets allow, by merit, including candidates that the search will skip.
static candidate_list take(struct disruption *disruption, const struct candidate_table *table)
{
    candidate_list wanted = consolidation_candidates(disruption, table);
    disruption_turn(disruption, METHOD_MULTI, DISRUPTION_UNDERUTILIZED, wanted.count);
    candidate_list taken = candidate_list_create(disruption, table);
    struct evictions evictions = evictions_create(disruption);
    for (uint32_t i = 0; i < wanted.count; i++) {
        struct disruption_candidate *candidate = wanted.items[i];
        if (candidate->pool->remaining == 0 || !evictions_take(&evictions, candidate, false))
            continue;
        assert(taken.count < wanted.count);
        candidate->pool->remaining--;
        taken.items[taken.count++] = candidate;
    }
    return taken;
}

struct rejected {   // the last prefix rejected for its score (DIS-206)
    uint32_t count; // 0: none
    int64_t saving;
};

// DIS-202.
static bool is_valid(struct disruption *disruption, struct consolidation_move *move,
                     const candidate_list *list, uint32_t count, struct rejected *rejected)
{
    if (move->kind == MOVE_NONE ||
        (move->kind == MOVE_REPLACE && !move_drop_own_types(disruption, move, list->items, count)))
        return false;
    if (balanced_policy_approves(list->items, count, move->payback.saving))
        return true;
    *rejected = (struct rejected){count, move->payback.saving};
    return false;
}

// DIS-201: the longest valid prefix, by binary search.
static struct consolidation_move search(struct disruption *disruption, const candidate_list *list,
                                        uint32_t *count)
{
    struct consolidation_move best = {0};
    struct rejected rejected = {0};
    *count = 0;
    if (list->count < 2)
        return best;
    uint32_t low = 1, high = list->count <= BATCH_MAX ? list->count - 1 : BATCH_MAX;
    while (low <= high) {
        uint32_t middle = (low + high) / 2;
        struct consolidation_move move = consolidate(disruption, list->items, middle + 1);
        if (is_valid(disruption, &move, list, middle + 1, &rejected)) {
            move_free(&best);
            best = move;
            *count = middle + 1;
            low = middle + 1;
        } else {
            move_free(&move);
            high = middle - 1;
        }
    }
    if (*count == 0 && rejected.count > 0)
        balanced_policy_note_scores(disruption, list->items, rejected.count, rejected.saving);
    return best;
}

void upstream_multi_node_decide(struct disruption *disruption)
{
    struct candidate_table table =
        disruption_candidates(disruption, DISRUPTION_UNDERUTILIZED, false);
    candidate_list list = take(disruption, &table);
    uint32_t count;
    struct consolidation_move move = search(disruption, &list, &count);
    assert((move.kind != MOVE_NONE) == (count >= 2));
    if (move.kind != MOVE_NONE)
        move_command(disruption, &move, CONSOLIDATION_MULTI, list.items, count);
    move_free(&move);
}
