// Times one decision: from the snapshot in memory to the finished plan (FMT-15), nothing else.
#pragma once

#include "bench/bench_workload.h"

struct bench_result {
    uint32_t nodes, unschedulable;
    uint32_t commands, disrupted; // of the disruption: numbers of commands and of their nodes
    int64_t savings_nanousd;      // an hour
    int64_t price_nanousd;        // an hour, of the machines, by the list
    int64_t cost_nanousd;         // the effective price
    int64_t counted_nanousd;      // LowestPrice's objective: with the concentration on nodes
    int64_t lower_bound_nanousd;  // 0: the engine states none
    uint32_t runs;
    // Medians over the runs, and the fastest one.
    int64_t wall_ns, cpu_ns, wall_min_ns;
    // Of the process while it planned: peak resident memory, and its excess over the resident
    // memory before (the plan's own need). 0 where the system does not report it.
    int64_t peak_bytes, plan_bytes;
};

// Plans `snapshot`, which has `pods` pending pods, `runs` times. Fails if the engine fails, if a
// plan omits a pod, or if two runs differ.
bool bench_measure(const struct snapshot *snapshot, uint32_t pods, uint32_t runs,
                   struct bench_result *result, struct error *error) MUST_USE;
// The same with the next disruption.
bool bench_measure_disruption(const struct snapshot *snapshot, uint32_t pods, uint32_t runs,
                              struct bench_result *result, struct error *error) MUST_USE;
