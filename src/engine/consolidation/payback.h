// Payback: whether and when a move earns back its cost (DIS-747). Old and new machines are both
// paid until the old ones have drained, and evictions may have a price. Savings count only as long
// as the nodes would exist anyway.
#pragma once

#include "engine/disruption/disruption.h"
#include "engine/placement/pass.h"

struct payback {
    int64_t saving;  // nano-USD an hour, by prices
    int64_t counted; // the same plus node costs (node_cost.h)
    int64_t cost;    // nano-USD, once
    int64_t time;    // nanoseconds during which the saving counts
    bool small;      // near the target, and not worth a launch (repack_target.h)
    bool asked;      // CONSOLIDATION_HORIZON is not 0: the cost must be earned back
};
// `claims` are the new nodes; none: the pods move to existing nodes. `saving` is by prices.
struct payback payback_of(struct disruption *disruption,
                          struct disruption_candidate *const *candidates, uint32_t count,
                          struct claim *const *claims, uint32_t claims_count, int64_t saving);
// True if the move pays by prices alone and with node costs. So a cheaper price does not justify
// too many nodes, and fewer nodes do not justify a higher price.
bool payback_reached(const struct payback *payback);
// The move's value, nano-USD: its saving over its time, with node costs, less its cost (DIS-746).
int64_t payback_value(const struct payback *payback);
// Why the move does not pay, with both numbers; in `arena`.
const char *payback_refusal(struct arena *arena, const struct payback *payback);

// The typical life of the pool's nodes, estimated from their ages; INT64_MAX: unknown. Sorts `ages`
// (nanoseconds).
int64_t payback_typical_life(int64_t *ages, uint32_t count, int64_t pool_age, int64_t horizon);
