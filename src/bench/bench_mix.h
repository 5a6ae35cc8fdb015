// A mix is a table entry: the pods, NodePools and nodes of one kind of generated workload.
#pragma once

#include "model/snapshot/snapshot.h"

#define BENCH_PODS_MAX          1000000
#define BENCH_TYPES_MAX         10000
#define BENCH_NODES_MAX         100000
#define BENCH_PODS_PER_NODE_MAX 100

struct bench_builder;

struct bench_mix {
    const char *name, *summary;
    bool priced;         // over the EC2 catalog; else over synthetic types
    bool resources_only; // only cpu and memory requests, on any node: bench_bound.h applies
    // Adds NodePools, DaemonSets and other prerequisites of the pods, then `pods` pending pods.
    bool (*add_environment)(struct bench_builder *builder, struct error *error);
    void (*add_pods)(struct bench_builder *builder, uint32_t pods);
    // Adds existing nodes with their pods and budgets; NULL: the usual ones.
    bool (*add_cluster)(struct bench_builder *builder, struct error *error);
};

struct bench_workload {
    const struct bench_mix *mix;
    uint32_t pods;          // pending
    uint32_t types;         // of the synthetic catalog; the priced mixes take every EC2 type
    uint32_t nodes;         // existing
    uint32_t pods_per_node; // of a running cluster, on average
    uint64_t seed;
    enum packing_policy policy;
    bool list_prices; // nothing counts beside list prices and NODE_COST
};
