// The best filling of one machine (packing.h; pricing in SCH-550 step 6): a bounded knapsack in
// several dimensions, by depth-first branch and bound.
//
// The bound combines the dimensions into one by weights. For any weights, no filling is worth more
// than the densest item (value by weighted need) over all the weighted room. The lowest bound of a
// few weightings counts.
#pragma once

#include "engine/packing/packing.h"

// An upper bound of the value of any filling with the items, each of which fits the machine alone.
double knapsack_bound(const struct packing *packing, const int64_t *room, const uint32_t *items,
                      uint32_t count);
// Searches for a filling worth more than `at_least`; `units` gets its units of each listed item.
// *upper: an upper bound of the value of any filling.
bool knapsack_solve(struct packing *packing, const int64_t *room, const uint32_t *items,
                    uint32_t count, double at_least, uint64_t nodes_max, uint32_t *units,
                    double *upper);
// An upper bound of the value of any filling with the items and those that they represent; at least
// `at_least`.
double knapsack_most(struct packing *packing, const int64_t *room, const uint32_t *items,
                     uint32_t count, double at_least, uint64_t nodes_max);
