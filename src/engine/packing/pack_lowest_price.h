// The cheapest set of claims (pack.h; SCH-500 to SCH-507, SCH-550 to SCH-553).
#pragma once

#include "engine/packing/pack.h"

// The cheapest set of claims (SCH-550); never dearer than pack_greedy().
struct pass *pack_lowest_price(struct problem *problem);
// What that makes of any finished greedy pass, which it takes over: the pass itself, or a cheaper
// one over the same pods.
struct pass *pack_cheaper(struct pass *greedy);
struct pack_outcome pack_outcome_of(struct pass *pass);
// SCH-550 step 9.
bool pack_outcome_is_better(const struct pack_outcome *a, const struct pack_outcome *b);
