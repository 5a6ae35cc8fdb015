// The packing policies (PACKING_POLICY; SCH-500): how the pods of a pass share nodes.
#pragma once

#include "engine/pass.h"

// A finished pass over all pods of the problem by the policy that its settings ask for. The caller
// destroys it.
struct pass *pack(struct problem *problem);

// As upstream does: every claim grows as far as any type goes (SCH-210 to SCH-216).
struct pass *pack_greedy(struct problem *problem);
// The cheapest set of claims (SCH-550); never dearer than pack_greedy().
struct pass *pack_lowest_price(struct problem *problem);
// What that makes of any finished greedy pass, which it takes over: the pass itself, or a cheaper
// one over the same pods.
struct pass *pack_cheaper(struct pass *greedy);
// Whether some pool asks for the lowest price.
bool pack_asks_lowest_price(const struct problem *problem);
