// A lower bound for the price of any plan of a workload, for `adze bench price`.
//
// For workloads whose pods request only cpu and memory, on one NodePool that admits every type on
// demand, without existing nodes. The linear program covers the pods with fillings of all instance
// types, whole pods on whole machines but machines in fractions. Column generation solves it with
// an exact knapsack (bench_knapsack.h). The result is Farley's bound, which holds at any step, not
// the program's value, which only holds at the end. Only the covering program is shared with the
// engine, and its duals need no trust: any duals make a valid bound. Prices are effective ones
// (engine/templates/effective_price.h).
#pragma once

#include "model/snapshot/snapshot.h"

struct bench_bound {
    int64_t price_nanousd;   // an hour: no plan that places all pods costs less
    int64_t program_nanousd; // the linear program over the columns found: the bound cannot be above
    uint32_t sizes, machines, columns, rounds;
};

// Returns false, without a bound, if a pod fits no machine or there are no pods.
bool bench_bound_compute(const struct snapshot *snapshot, struct bench_bound *bound);
