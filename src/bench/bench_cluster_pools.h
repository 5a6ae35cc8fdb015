// The NodePools and the DaemonSet of the running clusters of bench_cluster.c.
#pragma once

#include "bench/bench_builder.h"

// What keeps a node of a settled cluster from being given up.
enum hold {
    FULL,     // the cheapest machine for its pods, and no machine has room for one of them
    ANCHORED, // one pod that keeps apart from its like, which each node of the pool has
    LARGE,    // one pod that needs more than half of any of the pool's machines
};
struct cluster_pool {
    const char *name;
    uint32_t share; // percent of the nodes
    enum hold hold;
    bool tainted, spot_allowed, on_demand_allowed; // of both, machines are spot
    const char *size;                              // the machines' only one; NULL: any
};
#define CLUSTER_POOLS 4
extern const struct cluster_pool cluster_pools[CLUSTER_POOLS];

// Adds them to the snapshot; `settled`: budgets keep drifted nodes.
bool cluster_pools_add(struct bench_builder *builder, bool settled, struct error *error);
// The machines of the NodePool may be of that type.
bool cluster_pool_has_type(const struct cluster_pool *pool, const struct instance_type *type);
