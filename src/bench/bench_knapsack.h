// The most valuable filling of one machine: a knapsack with several sizes (cpu, memory, pods) and
// at most so many of each item. Knows nothing of the engine, whose plans it helps to judge.
//
// Fillings are built item by item; those that cannot reach `target` any more are dropped, by the
// bound of the relaxation with fractions. Exact as long as no more than `states_max` partial
// fillings are alive at once; beyond, the least promising give way, and the bound says what they
// might have been worth. Deterministic.
#pragma once

#include "base/memory.h"
#include "bench/bench_knapsack_item.h"

struct knapsack_filling {
    double value;     // of `counts`; 0 where nothing worth more than the target was found
    double bound;     // no filling is worth more; never below the target
    uint32_t *counts; // by item, in the arena
};

// Sizes of the capacity are above 0.
struct knapsack_filling knapsack_fill(struct arena *arena, const struct knapsack_item *items,
                                      uint32_t count, const int64_t capacity[KNAPSACK_SIZES],
                                      double target, uint32_t states_max);
