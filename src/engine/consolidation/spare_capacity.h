// The room on nodes that stay, for candidates whose pods would fit into it (DIS-745): no simulation
// is run, so what fits by the sums alone may not fit in the end.
#pragma once

#include "engine/disruption/disruption.h"

struct spare_capacity {
    const struct disruption *disruption;
    struct arena *arena;
    int64_t *room; // by dimension: of all nodes that take pods and have not been taken
};
struct capacity_need { // a candidate, and what its pods need
    struct disruption_candidate *candidate;
    const int64_t *requests; // by dimension
    int64_t cost;            // that its going saves
    int64_t share;           // of all room, in millionths; more than 1000000: it does not fit
};
// Lives in `arena`.
struct spare_capacity spare_capacity_find(const struct disruption *disruption, struct arena *arena);
struct capacity_need spare_capacity_need(const struct spare_capacity *spare,
                                         struct disruption_candidate *candidate);
bool capacity_need_fits(const struct capacity_need *need);
// For qsort: the dearest node for the least room first. Equal ones are equal.
int capacity_needs_compare(const struct capacity_need *a, const struct capacity_need *b);
// Takes the room that the pods need, and the node's own with it; false: there is not enough.
bool spare_capacity_take(struct spare_capacity *spare, const struct capacity_need *need);
