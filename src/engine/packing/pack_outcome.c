#include "engine/packing/pack_outcome.h"

#include <assert.h>

#include "engine/placement/claim_price.h"
#include "engine/templates/node_cost.h"

// Sums the cheapest machine of each claim (SCH-505) and the node costs (SCH-507).
struct pack_outcome pack_outcome_of(struct pass *pass)
{
    struct pack_outcome outcome = {.claims = pass->claims.count};
    struct node_costs costs = {0};
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        outcome.placed += pass->placements[i].kind != NOT_PLACED;
    vector_for_each (claim, &pass->claims) {
        node_costs_add(&costs, claim_price_or_zero(pass->problem, *claim));
        outcome.offerings += bitset_count((*claim)->rows);
    }
    assert(outcome.placed <= pass->input.queue_count);
    outcome.sum = node_costs_sum(&costs, pass->problem->catalog.node_cost);
    outcome.counted = node_costs_count(&costs, pass->problem->catalog.node_cost);
    return outcome;
}

bool pack_outcome_is_better(const struct pack_outcome *a, const struct pack_outcome *b)
{
    if (a->placed != b->placed)
        return a->placed > b->placed;
    if (a->counted != b->counted)
        return a->counted < b->counted;
    if (a->claims != b->claims)
        return a->claims < b->claims;
    return a->offerings > b->offerings;
}
