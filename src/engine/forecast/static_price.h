// What a node of a static NodePool will cost (LIF-232, SCH-507): its NodeClaim serves no particular
// pods, so the provider takes the cheapest machine that the template allows, with room for the
// DaemonSets. Pure.
#pragma once

#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

struct static_price {
    const char *instance_type; // in `arena`
    struct plan_costs costs;   // of one node
};
// False: no machine is known for the NodePool.
bool static_price_find(struct arena *arena, const struct snapshot *snapshot,
                       const struct node_pool *pool, struct static_price *out);
