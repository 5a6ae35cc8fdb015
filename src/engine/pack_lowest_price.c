// The cheapest set of claims (pack.h; SCH-500 to SCH-507, SCH-550 to SCH-553).
#include "engine/instance_types.h"
#include "engine/node_cost.h"
#include "engine/pack.h"
#include "engine/packing.h"

// Steps are what is done in some nanoseconds; so many for any packing, and for each pod.
#define PROGRAM_STEPS         UINT64_C(4000000)
#define PROGRAM_STEPS_A_POD   30
#define FILL_STEPS            UINT64_C(20000000)
#define FILL_STEPS_A_POD      3000
#define IMPROVE_STEPS         UINT64_C(2500000)
#define IMPROVE_STEPS_A_POD   50

struct outcome { // what a pass amounts to
    uint32_t placed, claims, offerings;
    int64_t sum, counted; // node_cost.h
};

// The cheapest machine of each claim (SCH-505), and what nodes count for beyond it (SCH-507).
static struct outcome outcome_of(struct pass *pass)
{
    struct outcome outcome = {.claims = pass->claims.count};
    struct node_costs costs = {0};
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        outcome.placed += pass->placements[i].kind != NOT_PLACED;
    vector_for_each (item, &pass->claims) {
        const struct claim *claim = *item;
        const struct row_filter *prices =
            type_table_prices(pass->problem, claim->template->table, claim->set);
        int64_t lowest = INT64_MAX;
        bitset_for_each (r, claim->rows)
            if (prices->cheapest[r] < lowest)
                lowest = prices->cheapest[r];
        node_costs_add(&costs, lowest == INT64_MAX ? 0 : lowest);
        outcome.offerings += bitset_count(claim->rows);
    }
    outcome.sum = node_costs_sum(&costs, pass->problem->node_cost);
    outcome.counted = node_costs_count(&costs, pass->problem->node_cost);
    return outcome;
}

// SCH-550 step 9.
static bool is_better(const struct outcome *a, const struct outcome *b)
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
    packing_program(packing);
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
    struct outcome was = outcome_of(greedy), is = outcome_of(pass);
    // It is of what the greedy pass leaves to new nodes; a pass that leaves them less may cost less.
    greedy->lower_bound = packing->lower_bound;
    pass->lower_bound = packing->lower_bound <= is.sum ? packing->lower_bound : 0;
    *counted = packing->margin_counted;
    packing_destroy(packing);
    if (packed && is_better(&is, &was))
        return pass;
    pass_destroy(pass);
    return NULL;
}

struct pass *pack_lowest_price(struct problem *problem)
{
    return pack_cheaper(pack_greedy(problem));
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
