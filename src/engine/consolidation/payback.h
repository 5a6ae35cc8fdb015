// Whether a move earns back what it costs, and how long that takes (DIS-747). Old and new machines
// are both paid until the old ones have drained, and evictions may have a price of their own; what
// is saved counts only as long as the nodes would be there anyway.
#pragma once

#include "engine/disruption/disruption.h"
#include "engine/placement/pass.h"

struct payback {
    int64_t saving;  // nano-USD an hour, by prices
    int64_t counted; // the same with what nodes cost beside their machines (node_cost.h)
    int64_t cost;    // nano-USD, once
    int64_t time;    // nanoseconds in which the saving counts
    bool small;      // near the target, and hardly worth a launch (repack_target.h)
    bool asked;      // CONSOLIDATION_HORIZON is not 0: the cost must be earned back
};
// `claims` are the new nodes; none: the pods move to nodes that are there. `saving` is by prices.
struct payback payback_of(struct disruption *disruption,
                          struct disruption_candidate *const *candidates, uint32_t count,
                          struct claim *const *claims, uint32_t claims_count, int64_t saving);
// By prices alone, and with what nodes cost: so that a cheaper machine is not paid for with more
// nodes than it is worth, nor nodes saved at a price.
bool payback_reached(const struct payback *payback);
// The value of the move, nano-USD: its saving in its time, nodes counted, less its cost
// (DIS-746).
int64_t payback_value(const struct payback *payback);
// Why it is not reached, with both numbers; in `arena`.
const char *payback_refusal(struct arena *arena, const struct payback *payback);

// How long nodes of the pool live, as far as their ages tell; INT64_MAX: they tell nothing.
// `ages`, in nanoseconds, get sorted.
int64_t payback_typical_life(int64_t *ages, uint32_t count, int64_t pool_age, int64_t horizon);
