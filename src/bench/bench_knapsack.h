// The most valuable filling of one machine: a knapsack with several sizes (cpu, memory, pods) and a
// limited number of each item. Independent of the engine, whose plans it helps to judge.
//
// Fillings are built item by item; those that cannot reach `target` any more, by the bound of the
// fractional relaxation, are dropped. Exact as long as at most `states_max` partial fillings are
// alive at once; beyond, the least promising are dropped, and the bound covers their possible
// value. Deterministic.
#pragma once

#include "base/memory.h"
#include "bench/bench_knapsack_item.h"

struct knapsack_filling {
    double value;     // of `counts`; 0 if no filling exceeds the target
    double bound;     // no filling is worth more; never below the target
    uint32_t *counts; // by item, in the arena
};

// Sizes of the capacity are above 0.
struct knapsack_filling knapsack_fill(struct arena *arena, const struct knapsack_item *items,
                                      uint32_t count, const int64_t capacity[KNAPSACK_SIZES],
                                      double target, uint32_t states_max);
