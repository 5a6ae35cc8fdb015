#include "engine/consolidation/blocked_moves.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "engine/templates/instance_types.h"
#include "engine/templates/templates.h"

#define NAMES_SHOWN 3

void blocked_removal_note(struct disruption *disruption,
                          const struct disruption_candidate *candidate,
                          const struct removal_simulation *removal)
{
    assert(!removal_is_possible(removal));
    disruption_note_blocked(disruption, candidate, removal->no_pool ? "DIS-234" : "DIS-161",
                            disruption->explains ? removal_refusal(disruption, removal) : NULL);
}

void blocked_score_note(struct disruption *disruption, const struct disruption_candidate *candidate,
                        const char *rule, int64_t savings)
{
    const struct disruption_pool *pool = candidate->pool;
    const char *message = NULL;
    if (disruption->explains && (pool->balanced_price <= 0 || pool->balanced_cost <= 0)) {
        message = arena_format(disruption->arena,
                               "score 0 is below 0.50: what NodePool \"%s\" "
                               "costs is not known",
                               pool->pool->meta.name);
    } else if (disruption->explains) {
        double share = (double)savings / (double)pool->balanced_price;
        double cost = candidate->cost / pool->balanced_cost;
        message =
            arena_format(disruption->arena,
                         "score %.2f is below 0.50: saves %.1f %% of the $%.4f an hour of "
                         "NodePool \"%s\" for %.1f %% of its disruption",
                         share > 0 ? share / cost : 0.0, 100 * share,
                         price_to_double(pool->balanced_price), pool->pool->meta.name, 100 * cost);
    }
    disruption_note_blocked(disruption, candidate, rule, message);
}

// "b and c": the quiet nodes that would have taken the candidate's pods.
static uint32_t add_quiet_nodes(const struct disruption *disruption,
                                const struct disruption_candidate *candidate,
                                const struct removal_simulation *removal, struct text *names)
{
    const struct problem *problem = disruption->problem;
    struct bitset told = bitset_create(removal->arena, problem->nodes.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < removal->pass->input.queue_count; i++) {
        const struct placement *placement = &removal->pass->placements[i];
        assert(placement->kind != ON_NODE || placement->index < problem->nodes.count);
        if (pass_pod(removal->pass, i)->on != candidate->state || placement->kind != ON_NODE ||
            !bitset_has(disruption->quiet, placement->index) || bitset_has(told, placement->index))
            continue;
        bitset_set(told, placement->index);
        if (count++ < NAMES_SHOWN)
            text_join(names, ", ", problem->nodes.items[placement->index].name);
    }
    if (count > NAMES_SHOWN)
        text_format(names, " and %" PRIu32 " more", count - NAMES_SHOWN);
    return count;
}

// DIS-238: true if the pods would have gone to nodes that are quiet.
static bool only_quiet_nodes_refuse(struct disruption *disruption,
                                    struct disruption_candidate *candidate)
{
    if (!disruption->explains || bitset_empty(disruption->quiet))
        return false;
    struct removal_simulation removal = removal_simulate(disruption, &candidate, 1, false);
    struct text names = {0};
    uint32_t count = 0;
    if (removal_needs_no_node(&removal))
        count = add_quiet_nodes(disruption, candidate, &removal, &names);
    if (count > 0)
        disruption_note_blocked(
            disruption, candidate, "DIS-238",
            arena_format(disruption->arena,
                         "its pods would fit on %s, which %s no running pods before "
                         "consolidateAfter has passed without a pod event there",
                         names.data, count == 1 ? "takes" : "take"));
    text_free(&names);
    removal_free(&removal);
    return count > 0;
}

static const char *with_prices(struct disruption *disruption,
                               const struct disruption_candidate *candidate,
                               const struct consolidation_move *move)
{
    if (!disruption->explains || move->least_type == NULL ||
        (strcmp(move->rule, "DIS-168") != 0 && strcmp(move->rule, "DIS-169") != 0))
        return move->why;
    const char *type = string_map_get(candidate->state->labels, LABEL_INSTANCE_TYPE);
    if (candidate->price <= 0)
        return arena_format(disruption->arena, "%s: the price of its own %s is not known",
                            move->why, type);
    return arena_format(disruption->arena,
                        "%s: its own %s costs $%.4f an hour; the cheapest that its pods fit on, "
                        "%s, may cost $%.4f",
                        move->why, type, price_to_double(candidate->price), move->least_type->name,
                        price_to_double(move->least));
}

void blocked_move_note(struct disruption *disruption, struct disruption_candidate *candidate,
                       const struct consolidation_move *move)
{
    assert(move->kind != MOVE_NONE || move->rule != NULL);
    if (only_quiet_nodes_refuse(disruption, candidate))
        return;
    if (move->kind != MOVE_NONE)
        blocked_score_note(disruption, candidate, "DIS-192", move->payback.saving);
    else
        disruption_note_blocked(disruption, candidate, move->rule,
                                with_prices(disruption, candidate, move));
}
