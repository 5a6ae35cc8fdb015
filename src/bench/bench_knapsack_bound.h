// An upper bound of the knapsack: its relaxation with fractions, solved by the simplex method with
// bounded variables.
#pragma once

#include "base/memory.h"
#include "bench/bench_knapsack_item.h"

// Sizes relative to the capacity, values relative to the greatest, so that all numbers are about 1.
struct relaxation {
    uint32_t count;
    double (*size)[KNAPSACK_SIZES];
    double *value, *most;
    bool *at_most;                  // a nonbasic variable is at 0 or at its limit
    uint32_t basis[KNAPSACK_SIZES]; // items; count + k: the unused room of size k
    double basic[KNAPSACK_SIZES];   // their values
    double inverse[KNAPSACK_SIZES][KNAPSACK_SIZES];
    double price[KNAPSACK_SIZES]; // of the sizes
};

// Arrays for up to `count` items; filled anew for every relaxation.
struct relaxation relaxation_create(struct arena *arena, uint32_t count);

#define BOUND_SLACK 1e-10 // allowance for rounding in a bound, relative

// No filling of the room is worth more than `rest` and the room at these prices.
struct room_bound {
    double price[KNAPSACK_SIZES]; // of a unit
    double rest;
    bool known;
};

// A bound for a filling of the room: price · room + rest, valid for every smaller room, too.
struct room_bound relaxation_bound(struct relaxation *relaxation, const struct knapsack_item *items,
                                   uint32_t count, const int64_t room[KNAPSACK_SIZES]);
// How many of the item fit the room, at most the available number.
uint32_t knapsack_item_fits(const struct knapsack_item *item, const int64_t room[KNAPSACK_SIZES]);
