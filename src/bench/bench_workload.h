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

#include "bench/bench_mix.h"

const struct bench_mix *bench_mix_find(const char *name); // NULL: unknown name
const struct bench_mix *const *bench_mixes(void);         // all, NULL-terminated

// The caller destroys the snapshot. Fails only if the built-in facts do not decode.
struct snapshot *bench_workload_create(const struct bench_workload *workload,
                                       struct error *error) MUST_USE;
// Sets the policy of later plans of the snapshot.
void bench_workload_set_policy(struct snapshot *snapshot, enum packing_policy policy);
// The value of PACKING_POLICY.
const char *bench_policy_name(enum packing_policy policy);
