// The packing policies (PACKING_POLICY; SCH-500): how the pods of a pass share nodes.
#pragma once

#include "engine/placement/pass.h"

// A finished pass over all pods of the problem by the policy that its settings ask for. The caller
// destroys it.
struct pass *pack(struct problem *problem);

// As upstream does: every claim grows as far as any type goes (SCH-210 to SCH-216).
struct pass *pack_greedy(struct problem *problem);
struct pass *pack_greedy_as(struct problem *problem, const struct pass_input *input);
// The cheapest set of claims (SCH-550); never dearer than pack_greedy().
struct pass *pack_lowest_price(struct problem *problem);
// The same after it: takes the pass over, and returns it or one that is cheaper because some pods
// took another of their node affinity terms, or no longer heed spreads of others.
struct pass *pack_alternatives(struct pass *pass);
// What that makes of any finished greedy pass, which it takes over: the pass itself, or a cheaper
// one over the same pods.
struct pass *pack_cheaper(struct pass *greedy);

struct pack_outcome { // what a pass amounts to
    uint32_t placed, claims, offerings;
    int64_t sum, counted; // nano-USD an hour (node_cost.h)
};
struct pack_outcome pack_outcome_of(struct pass *pass);
// SCH-550 step 9.
bool pack_outcome_is_better(const struct pack_outcome *a, const struct pack_outcome *b);
// Of the claim's cheapest machine (SCH-505), nano-USD an hour; 0: it has none.
int64_t pack_claim_price(const struct pass *pass, const struct claim *claim);

// Whether some pool asks for the lowest price.
bool pack_asks_lowest_price(const struct problem *problem);
// Whether all pools do.
bool pack_is_lowest_price(const struct problem *problem);
