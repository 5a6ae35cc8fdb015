// The packing policies (PACKING_POLICY; SCH-500): how the pods of a pass share nodes.
#pragma once

#include "engine/placement/pass.h"

// A finished pass over all pods of the problem by the policy that its settings ask for. The caller
// destroys it.
struct pass *pack(struct problem *problem);

struct pack_outcome { // what a pass amounts to
    uint32_t placed, claims, offerings;
    int64_t sum, counted; // nano-USD an hour (node_cost.h)
};

// Whether some pool asks for the lowest price.
bool pack_asks_lowest_price(const struct problem *problem);
// Whether all pools do.
bool pack_is_lowest_price(const struct problem *problem);
