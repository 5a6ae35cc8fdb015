// The cheapest set of claims (pack.h; SCH-500 to SCH-507, SCH-550 to SCH-553).
#pragma once

#include "engine/pass/pass_state.h"

// Packs a finished greedy pass anew, which it takes over (SCH-550): returns the pass itself, or a
// cheaper one over the same pods.
struct pass *pack_cheaper(struct pass *greedy);
