// What the nodes of a cluster cost, and whom the money is spent on. Pure.
//
// A pod's share of its node's price is its part of the node's scarcer resource: of the one of which
// the pods together request most. What no pod requests is idle. Shares and idle parts add up to the
// price, to the last nano-USD.
#pragma once

#include "model/snapshot/snapshot.h"

struct cost_line {         // of a NodePool, a namespace or a workload
    const char *namespace; // of a workload; else NULL
    const char *name;      // of a workload "Kind/name"; NULL: nodes without NodePool
    uint32_t nodes, pods;  // nodes: of NodePools only
    uint32_t unpriced;     // nodes without a known price; pods on such nodes
    int64_t price, idle;   // nano-USD an hour, by the list; the idle part: of NodePools only
    int64_t effective;     // with everything that the nodes cost (effective_price.h); the same
};
typedef LIST(struct cost_line) cost_line_list;
struct cost_node {
    const char *name, *node_pool, *type, *zone, *capacity_type; // NULL: unknown
    uint32_t pods;                                              // without those of DaemonSets
    bool priced;
    int64_t price, idle; // nano-USD an hour
};

struct cluster_cost {
    // Sorted by price, the highest first, then by name.
    cost_line_list pools, namespaces, workloads;
    struct cost_line total;
    LIST(struct cost_node) nodes; // by name
};
// Returns false if the snapshot cannot be compiled. Everything lives in `arena` or points into the
// snapshot.
bool cluster_cost_find(struct arena *arena, const struct snapshot *snapshot,
                       struct cluster_cost *cost, struct error *error) MUST_USE;
