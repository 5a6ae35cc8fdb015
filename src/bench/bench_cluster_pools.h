// The NodePools and the DaemonSet of the running clusters of bench_cluster.c.
#pragma once

#include "bench/bench_builder.h"

// The reason why a node of a settled cluster stays.
enum hold {
    FULL,     // the cheapest machine for its pods, and no other machine has room for any of them
    ANCHORED, // one pod with anti-affinity to its like, and each node of the pool has one
    LARGE,    // one pod that requests more than half of any of the pool's machines
};
struct cluster_pool {
    const char *name;
    uint32_t share; // percent of the nodes
    enum hold hold;
    bool tainted, spot_allowed, on_demand_allowed; // if both are allowed, machines are spot
    const char *size;                              // the machines' only size; NULL: any
};
#define CLUSTER_POOLS 4
extern const struct cluster_pool cluster_pools[CLUSTER_POOLS];

// Adds them to the snapshot; `settled`: budgets keep drifted nodes.
bool cluster_pools_add(struct bench_builder *builder, bool settled, struct error *error);
// Whether the NodePool admits machines of that type.
bool cluster_pool_has_type(const struct cluster_pool *pool, const struct instance_type *type);
