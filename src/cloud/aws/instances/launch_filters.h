// The instance types and offerings of a launch (AWI-270 to 282): the catalogue of the NodeClass,
// filtered by the NodeClaim, sorted by price and cut.
#pragma once

#include "model/reading/settings.h"
#include "model/schema/karpenter.h"

#define LAUNCH_TYPES_MAX 60

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

// AWI-270 to 277. INSUFFICIENT_CAPACITY: nothing is left. The strings stay the catalogue's.
bool launch_filters_apply(struct arena *arena, const struct instance_type_catalog *catalog,
                          const struct node_claim *claim, const struct settings *settings,
                          struct launch_candidates *candidates, struct error *error) MUST_USE;
// AWI-280: static text.
const char *launch_capacity_type(const struct launch_candidates *candidates,
                                 const struct node_claim *claim);
// AWI-282: static text.
const char *launch_tenancy(const struct node_claim *claim);
// USD an hour. A reserved offering costs a 10,000,000th of on-demand, which nano-USD cannot tell
// (AWI-176, 918).
double launch_price(const struct launch_candidate *candidate, const struct offering *offering);
// AWI-306: NodeOverlays have changed prices.
bool launch_is_prioritized(const struct node_claim *claim);
// The offering's capacity type; "" if it names none.
const char *offering_capacity_type(const struct offering *offering);
