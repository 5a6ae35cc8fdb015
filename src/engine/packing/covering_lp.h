// The linear program of covering: least cost · x with A x >= demand and x >= 0, all numbers
// nonnegative (SCH-550 step 6). Solved by the revised simplex method with columns that are added as
// they are found, so that prices of rows (duals) lead to the next column.
//
// Deterministic: the same calls in the same order give the same numbers; bounded by counts of
// pivots, never by time. Everything lives in the arena.
#pragma once

#include "base/memory.h"

struct covering;
struct covering_entry {
    uint32_t row;
    double amount; // above zero
};

// Rows with their demands, above zero. Each starts covered by a column of its own with `penalty` as
// its cost for one unit: more than any sensible column costs.
struct covering *covering_create(struct arena *arena, const double *demand, uint32_t rows,
                                 double penalty);
// Adds a column; returns its index, counted from 0. Entries have distinct rows; they are copied.
uint32_t covering_add(struct covering *covering, double cost, const struct covering_entry *entries,
                      uint32_t count);
// Optimises over the columns so far, from where the last call ended, with at most `pivots_max`
// exchanges. False: stopped by that limit; what is there is feasible all the same.
bool covering_solve(struct covering *covering, uint32_t pivots_max);

double covering_cost(const struct covering *covering);               // of the solution
double covering_dual(const struct covering *covering, uint32_t row); // >= 0; valid after a solve
double covering_value(const struct covering *covering, uint32_t column); // x
