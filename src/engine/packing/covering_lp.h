// The covering linear program: minimize cost · x with A x >= demand and x >= 0, all numbers
// nonnegative (SCH-550 step 6). Revised simplex method with column generation: duals of rows lead
// to the next column.
//
// Deterministic: the same calls in the same order give the same numbers. Bounded by pivot counts,
// never by time. Everything lives in the arena.
#pragma once

#include "base/memory.h"

struct covering;
struct covering_entry {
    uint32_t row;
    double amount; // above zero
};

// Rows with their demands, above zero. Each row starts covered by its own column, at the cost
// `penalty` for one unit: more than any sensible column costs.
struct covering *covering_create(struct arena *arena, const double *demand, uint32_t rows,
                                 double penalty);
// Adds a column; returns its index, counted from 0. Entries have distinct rows; they are copied.
uint32_t covering_add(struct covering *covering, double cost, const struct covering_entry *entries,
                      uint32_t count);
// Optimizes over the columns so far, from the last call's basis, with at most `pivots_max` pivots.
// False: stopped by that limit; the solution is still feasible.
bool covering_solve(struct covering *covering, uint32_t pivots_max);

double covering_cost(const struct covering *covering);               // of the solution
double covering_dual(const struct covering *covering, uint32_t row); // >= 0; valid after a solve
double covering_value(const struct covering *covering, uint32_t column); // x
