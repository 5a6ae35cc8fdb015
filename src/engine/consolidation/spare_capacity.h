// The room on nodes that stay, for candidates whose pods may fit it (DIS-745). Without a
// simulation: pods that fit by sums may still not fit.
#pragma once

#include "engine/disruption/disruption.h"

struct spare_capacity {
    const struct disruption *disruption;
    struct arena *arena;
    int64_t *room; // by dimension: of all usable nodes that are not taken
};
struct capacity_need { // a candidate and the needs of its pods
    struct disruption_candidate *candidate;
    const int64_t *requests; // by dimension
    int64_t cost;            // saved by its removal
    int64_t share;           // of all room, in millionths; above 1000000: does not fit
};
// Lives in `arena`.
struct spare_capacity spare_capacity_find(const struct disruption *disruption, struct arena *arena);
struct capacity_need spare_capacity_need(const struct spare_capacity *spare,
                                         struct disruption_candidate *candidate);
bool capacity_need_fits(const struct capacity_need *need);
// For qsort: the most expensive node for the least room first. Equal ones compare equal.
int capacity_needs_compare(const struct capacity_need *a, const struct capacity_need *b);
// Takes the room that the pods need and removes the node's own room; false: not enough room.
bool spare_capacity_take(struct spare_capacity *spare, const struct capacity_need *need);
