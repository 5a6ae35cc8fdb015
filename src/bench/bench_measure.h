// Times one decision: from the snapshot in memory to the finished plan (FMT-15), nothing else.
#pragma once

#include "bench/bench_workload.h"

struct bench_result {
    uint32_t nodes, unschedulable;
    uint32_t commands, disrupted; // of the disruption: how many, and of how many nodes
    int64_t savings_nanousd;      // an hour
    int64_t price_nanousd;        // an hour, of the machines
    int64_t cost_nanousd;         // with what nodes cost beside them (NODE_COST)
    int64_t counted_nanousd;      // with how much is on one node, too: what LowestPrice minimises
    int64_t lower_bound_nanousd;  // 0: the engine states none
    uint32_t runs;
    // Medians over the runs, and the fastest one.
    int64_t wall_ns, cpu_ns, wall_min_ns;
    // Of the process while it planned: resident memory at its peak, and by how much that exceeds
    // what was resident before (the plan's own need). 0 where the system doesn't tell.
    int64_t peak_bytes, plan_bytes;
};

// Plans `snapshot`, which has `pods` pending pods, `runs` times. Fails if the engine does, if a
// plan forgets a pod, or if two runs differ: no time is worth that.
bool bench_measure(const struct snapshot *snapshot, uint32_t pods, uint32_t runs,
                   struct bench_result *result, struct error *error) MUST_USE;
// The same with the next disruption.
bool bench_measure_disruption(const struct snapshot *snapshot, uint32_t pods, uint32_t runs,
                              struct bench_result *result, struct error *error) MUST_USE;
