// A price below which no plan of a workload can be: what `adze bench price` measures plans against.
//
// For workloads whose pods ask for nothing but cpu and memory, on one NodePool that admits every
// type on demand, without existing nodes. The value of the linear program over all fillings of all
// instance types, whole pods on whole machines but machines in fractions: columns are generated
// with an exact knapsack (bench_knapsack.h). What is returned is not that program's value, which
// only holds at its end, but Farley's bound, which holds whenever one stops. Shares with the engine
// the covering program alone, whose duals are trusted for nothing: any duals make a valid bound.
#pragma once

#include "model/snapshot/snapshot.h"

struct bench_bound {
    int64_t price_nanousd;   // an hour: no plan that places all pods costs less, with NODE_COST
    int64_t program_nanousd; // the linear program over the columns found: the bound cannot be above
    uint32_t sizes, machines, columns, rounds;
};

// False if a pod fits no machine, or if there are no pods: no bound then.
bool bench_bound_compute(const struct snapshot *snapshot, struct bench_bound *bound);
