#include "engine/consolidation/upstream_single_node.h"

#include "engine/consolidation/balanced_policy.h"
#include "engine/consolidation/blocked_moves.h"
#include "engine/consolidation/consolidation.h"
#include "engine/consolidation/single_node_candidates.h"
#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/evictions.h"

void upstream_single_node_decide(struct disruption *disruption)
{
    struct candidate_table table =
        disruption_candidates(disruption, DISRUPTION_UNDERUTILIZED, false);
    candidate_list list = single_node_candidates(disruption, &table);
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
            disruption_note(disruption, EVENT_UNCONSOLIDATABLE, candidate, move.why);
        if (!found && move.kind != MOVE_NONE)
            balanced_policy_note_scores(disruption, &candidate, 1, move.payback.saving);
        if (!found)
            blocked_move_note(disruption, candidate, &move);
        move_free(&move);
        if (found)
            return;
    }
}
