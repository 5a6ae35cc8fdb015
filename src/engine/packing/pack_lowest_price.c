#include "engine/packing/pack_lowest_price.h"

#include "engine/packing/column_generation.h"
#include "engine/packing/pack.h"
#include "engine/packing/pack_alternatives.h"
#include "engine/packing/pack_greedy.h"
#include "engine/packing/packing.h"
#include "engine/packing/packing_fill.h"
#include "engine/packing/packing_improve.h"
#include "engine/packing/packing_items.h"
#include "engine/packing/packing_replay.h"
#include "engine/placement/claim_price.h"
#include "engine/templates/instance_types.h"
#include "engine/templates/node_cost.h"

// Steps are what is done in some nanoseconds; so many for any packing, and for each pod.
#define PROGRAM_STEPS       UINT64_C(4000000)
#define PROGRAM_STEPS_A_POD 30
#define FILL_STEPS          UINT64_C(20000000)
#define FILL_STEPS_A_POD    3000
#define IMPROVE_STEPS       UINT64_C(2500000)
#define IMPROVE_STEPS_A_POD 50

// The cheapest machine of each claim (SCH-505), and what nodes count for beyond it (SCH-507).
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

static bool pack_anew(struct packing *packing)
{
    uint64_t pods = packing->greedy->input.queue_count;
    packing->steps_max = PROGRAM_STEPS + pods * PROGRAM_STEPS_A_POD;
    column_generation(packing);
    packing->steps_max = packing->steps + FILL_STEPS + pods * FILL_STEPS_A_POD;
    if (!packing_fill(packing))
        return false;
    packing->steps_max = packing->steps + IMPROVE_STEPS + pods * IMPROVE_STEPS_A_POD;
    packing_improve(packing);
    return true;
}

// A pass that is better than the greedy one, or NULL; *counted: the margin made a difference.
static struct pass *find_better(struct pass *greedy, double margin, bool *counted)
{
    struct pass *pass = pass_create(greedy->problem, &greedy->input);
    struct packing *packing = packing_create(greedy, pass, margin);
    bool packed = pack_anew(packing);
    if (packed)
        packing_replay(packing, pass);
    struct pack_outcome was = pack_outcome_of(greedy), is = pack_outcome_of(pass);
    // It is of what the greedy pass leaves to new nodes; a pass that leaves them less may cost
    // less.
    greedy->lower_bound = packing->lower_bound;
    pass->lower_bound = packing->lower_bound <= is.sum ? packing->lower_bound : 0;
    *counted = packing->margin_counted;
    packing_destroy(packing);
    if (packed && pack_outcome_is_better(&is, &was))
        return pass;
    pass_destroy(pass);
    return NULL;
}

struct pass *pack_lowest_price(struct problem *problem)
{
    return pack_alternatives(pack_cheaper(pack_greedy(problem)));
}

struct pass *pack_cheaper(struct pass *greedy)
{
    if (greedy->claims.count == 0)
        return greedy;
    double margin = greedy->problem->settings->flexibility_margin;
    bool counted;
    struct pass *better = find_better(greedy, margin, &counted);
    if (better == NULL && counted)
        better = find_better(greedy, 0, &counted);
    if (better == NULL)
        return greedy;
    pass_destroy(greedy);
    return better;
}
