// The search for fillings that are worth more than their machines cost (packing.h; SCH-550 step 6).
#pragma once

#include "engine/packing/packing.h"

struct packing_trial {
    struct packing_machines *machines;
    uint32_t machine;
    double ratio; // upper bound of its value, relative to its price
};
struct packing_pricing {
    VECTOR(struct packing_trial) trials; // scratch; heap
    uint32_t failures_max;               // fillings without result that end a round
    // Gets each filling found; the bin is its own from then on.
    void (*take)(void *context, struct packing_bin *bin);
    void *context;
};

// Fills machines by the items' present values, the most promising first, and hands over some
// fillings that are worth more than they cost; false if there are none. `all`: tries more machines,
// also those that were hopeless lately. `round` counts the calls.
bool packing_price(struct packing *packing, struct packing_pricing *pricing, uint32_t round,
                   bool all);
