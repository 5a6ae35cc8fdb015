// What static provisioning and deprovisioning would do (LIF-230 to LIF-234), for `adze plan`: the
// NodePools with `replicas` that have too few or too many NodeClaims. Pure.
#pragma once

#include "model/snapshot/snapshot.h"

struct static_pool_plan {
    const struct node_pool *pool;
    int64_t active;            // NodeClaims that are neither ending nor in a disruption command
    int64_t missing;           // to be created, as far as `limits.nodes` leaves room
    struct string_list excess; // names of those to be deleted, the first first
};
struct static_capacity_plan { // by name of the NodePool
    LIST(struct static_pool_plan) pools;
};
// Empty without the gate StaticCapacity. Lives in `arena` and points into the snapshot.
struct static_capacity_plan static_capacity_plan_of(struct arena *arena,
                                                    const struct snapshot *snapshot);
