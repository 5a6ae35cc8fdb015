// Generated workloads for `adze bench` (FMT-15): a snapshot in memory, made from a seed.
//
// The same options give the same snapshot everywhere. Three families of mixes:
//   synthetic  diverse, preferences: pods over made-up instance types, for speed
//   priced     web, batch, memory-heavy, mixed, constrained: deployments over the EC2 catalog,
//   for price
//   running    settled, loose, drifting: whole clusters over the EC2 catalog, for disruption
// Existing nodes and the pods that run on them are drawn from a seed of their own, so that the
// pending pods of a workload stay the same whatever the number of nodes.
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
    bool resources_only; // pods ask for cpu and memory, anywhere: there is a bound (bench_bound.h)
    // Adds NodePools, DaemonSets and whatever else the pods need, then `pods` pending pods.
    bool (*add_environment)(struct bench_builder *builder, struct error *error);
    void (*add_pods)(struct bench_builder *builder, uint32_t pods);
    // Existing nodes with their pods and budgets, if they are not to be the usual ones.
    bool (*add_cluster)(struct bench_builder *builder, struct error *error);
};

const struct bench_mix *bench_mix_find(const char *name); // NULL if there is none of that name
const struct bench_mix *const *bench_mixes(void);         // all, NULL-terminated

struct bench_workload {
    const struct bench_mix *mix;
    uint32_t pods;          // pending
    uint32_t types;         // of the synthetic catalog; the priced mixes take every EC2 type
    uint32_t nodes;         // existing
    uint32_t pods_per_node; // of a running cluster, on average
    uint64_t seed;
    enum packing_policy policy;
};

// The caller destroys the snapshot. Fails only where the facts that are built into the program do.
struct snapshot *bench_workload_create(const struct bench_workload *workload,
                                       struct error *error) MUST_USE;
// Plans made of the snapshot from now on follow `policy`.
void bench_workload_set_policy(struct snapshot *snapshot, enum packing_policy policy);
// The value of PACKING_POLICY.
const char *bench_policy_name(enum packing_policy policy);
