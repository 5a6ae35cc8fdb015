// The instance types that a launch may use, with the offerings that its filters have left.
#pragma once

#include "model/schema/karpenter.h"

// A type of the launch with the offerings that the filters have left.
struct launch_candidate {
    struct instance_type type; // first: launch templates give back pointers to it
    int64_t on_demand_price;   // nano-USD; 0: unknown
};
struct launch_candidates { // in arena memory
    const struct instance_type **items;
    uint32_t count;
};
static inline const struct launch_candidate *launch_candidate_of(const struct instance_type *type)
{
    return (const struct launch_candidate *)type;
}

// USD an hour. A reserved offering costs a 10,000,000th of on-demand, which nano-USD cannot tell
// (AWI-176, 918).
double launch_price(const struct launch_candidate *candidate, const struct offering *offering);
// AWI-306: NodeOverlays have changed prices.
bool launch_is_prioritized(const struct node_claim *claim);
// The offering's capacity type; "" if it names none.
const char *offering_capacity_type(const struct offering *offering);
// Drops the offerings that `keeps` refuses; returns whether any is left.
bool candidate_keep_offerings(const struct instance_type *type,
                              bool (*keeps)(const void *context, const struct offering *offering),
                              const void *context);
