// How the price of a node is shared among its pods: by the scarcer resource, that of which they
// request the largest part together. What no pod requests is idle. Pure.
#pragma once

#include "model/schema/core.h"

struct node_shares {        // nano-USD an hour; they add up to the price
    const int64_t *of_pods; // in their order
    int64_t idle;
};
// In `arena`, which also serves as scratch memory.
struct node_shares node_shares_find(struct arena *arena, const struct resource_map *allocatable,
                                    const struct pod *const *pods, uint32_t count, int64_t price);
