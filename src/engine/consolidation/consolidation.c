#include "engine/consolidation/consolidation.h"

#include <assert.h>
#include <inttypes.h>

#include "base/quantity.h"
#include "engine/consolidation/balanced_policy.h"
#include "engine/consolidation/replacement_types.h"
#include "engine/disruption/eligibility.h"
#include "engine/disruption/planned_moves.h"
#include "engine/explain/plan_builder.h"
#include "engine/placement/claim_price.h"

candidate_list consolidation_candidates(struct disruption *disruption,
                                        const struct candidate_table *table)
{
    candidate_list list = candidate_list_create(disruption, table);
    list_for_each (candidate, &table->candidates) {
        const char *message;
        if (disruption_is_paused(disruption, candidate, false))
            continue;
        if (consolidation_is_eligible(disruption->arena, candidate, &message))
            list.items[list.count++] = candidate;
        else if (disruption->strategy->reports_disabled_pools ||
                 !consolidation_is_disabled(candidate->pool->pool)) // DIS-772
            disruption_note(disruption, EVENT_UNCONSOLIDATABLE, candidate, message);
    }
    return list;
}

static void count_savings(struct disruption *disruption, struct consolidation_move *move,
                          struct disruption_candidate *const *candidates, uint32_t count)
{
    move->savings = candidates_price(candidates, count);
    if (move->kind == MOVE_REPLACE)
        move->savings =
            quantity_subtract(move->savings, move_price(disruption, move->claim, move->priced));
}

// DIS-742, DIS-747. Upstream treats a node of unknown price as free.
static void compute_payback(struct disruption *disruption, struct consolidation_move *move,
                            struct disruption_candidate *const *candidates, uint32_t count)
{
    if (move->kind == MOVE_NONE)
        return;
    int64_t saving = move->savings;
    if (move->kind == MOVE_REPLACE && disruption->strategy->asks_offering_prices) {
        int64_t price = claim_expected_price(disruption->problem, move->claim);
        saving = quantity_subtract(candidates_price(candidates, count), price);
    }
    move->payback = payback_of(disruption, candidates, count, &move->claim,
                               move->kind == MOVE_REPLACE ? 1 : 0, saving);
    if (payback_reached(&move->payback))
        return;
    move->why = payback_refusal(disruption->arena, &move->payback);
    move->rule = "DIS-747";
    move->kind = MOVE_NONE;
}

struct consolidation_move consolidate(struct disruption *disruption,
                                      struct disruption_candidate *const *candidates,
                                      uint32_t count)
{
    struct consolidation_move move = {.removal =
                                          removal_simulate(disruption, candidates, count, true)};
    move.rule = move.removal.no_pool ? "DIS-234" : "DIS-161";
    if (!removal_is_possible(&move.removal)) {
        move.why = count == 1 ? removal_refusal(disruption, &move.removal) : NULL;
        return move;
    }
    move.rule = "DIS-163";
    if (move.removal.nodes_needed > 1) {
        move.why =
            arena_format(disruption->arena, "Can't remove without creating %" PRIu32 " candidates",
                         move.removal.nodes_needed);
        return move;
    }
    move.kind = MOVE_DELETE;
    if (move.removal.claims_count > 0) {
        move.claim = move.removal.claims[0];
        move.priced = move.claim->set;
        move_note_prices(disruption, &move);
        move.why =
            move_narrow(disruption, &move, candidates, count, candidates_price(candidates, count));
        move.kind = move.why == NULL ? MOVE_REPLACE : MOVE_NONE;
    } else if (move.removal.nodes_needed > 0) {
        move.why = "Can't remove without creating 1 candidates";
        move.kind = MOVE_NONE;
    }
    count_savings(disruption, &move, candidates, count);
    compute_payback(disruption, &move, candidates, count);
    assert(move.kind != MOVE_NONE || move.why != NULL);
    assert(move.rule != NULL);
    assert((move.claim != NULL) == (move.removal.claims_count > 0));
    return move;
}

bool move_drop_own_types(struct disruption *disruption, struct consolidation_move *move,
                         struct disruption_candidate *const *candidates, uint32_t count)
{
    assert(move->kind == MOVE_REPLACE);
    if (!move_keep_off_own_types(disruption, move, candidates, count))
        return false;
    count_savings(disruption, move, candidates, count);
    compute_payback(disruption, move, candidates, count);
    return move->kind != MOVE_NONE;
}

void move_command(struct disruption *disruption, struct consolidation_move *move,
                  enum consolidation_type type, struct disruption_candidate *const *candidates,
                  uint32_t count)
{
    assert(move->kind != MOVE_NONE);
    assert((move->kind == MOVE_REPLACE) == (move->claim != NULL));
    struct plan_disruption *command =
        disruption_command(disruption, DISRUPTION_UNDERUTILIZED, type, candidates, count);
    command->savings = move->savings;
    balanced_policy_note_scores(disruption, candidates, count, move->payback.saving);
    planned_moves_find(disruption, move->removal.pass, candidates, count, &move->claim,
                       move->kind == MOVE_REPLACE ? 1 : 0, &command->moves);
    if (move->kind != MOVE_REPLACE)
        return;
    command->replacements.items =
        arena_allocate(disruption->plan->arena, sizeof *command->replacements.items);
    replacement_build(move->removal.pass, move->claim, move->priced, disruption->plan,
                      &command->replacements.items[command->replacements.count++]);
}
