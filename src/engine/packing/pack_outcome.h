// The result of a finished pass, for comparison (SCH-505, SCH-507, SCH-550 step 9).
#pragma once

#include "engine/pass/pass_state.h"

struct pack_outcome { // the result of a pass
    uint32_t placed, claims, offerings;
    int64_t sum, counted; // nano-USD an hour (node_cost.h)
};

struct pack_outcome pack_outcome_of(struct pass *pass);
// SCH-550 step 9.
bool pack_outcome_is_better(const struct pack_outcome *a, const struct pack_outcome *b);
