// The best filling of one machine (packing.h; the pricing of SCH-550 step 6): a bounded knapsack in
// several dimensions, by depth first search with a bound.
//
// The bound weighs the dimensions into one: whatever the weights, no filling is worth more than the
// densest item (value for weighed need) all over the weighed room. The best of a few weighings is
// taken.
#pragma once

#include "engine/packing/packing.h"

// with itself left aside.
// A value that no filling with the items, which each fit by themselves, can have.
double knapsack_bound(const struct packing *packing, const int64_t *room, const uint32_t *items,
                      uint32_t count);
// Looks for a filling worth more than `at_least`; its units of each listed item. *upper: what no
// filling is worth more than.
bool knapsack_solve(struct packing *packing, const int64_t *room, const uint32_t *items,
                    uint32_t count, double at_least, uint64_t nodes_max, uint32_t *units,
                    double *upper);
// What no filling with the items, and with those that they stand for, is worth more than; at least
// `at_least`.
double knapsack_most(struct packing *packing, const int64_t *room, const uint32_t *items,
                     uint32_t count, double at_least, uint64_t nodes_max);
