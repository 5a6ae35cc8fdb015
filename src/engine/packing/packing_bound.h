// A lower bound of the price of any packing (packing.h; SCH-550 step 10).
//
// It holds for any values of pods: if no machine can hold more than `most` times its price in
// value, all pods together cost at least their value divided by `most`. The values are the linear
// program's, so that `most` is near 1. A machine counts at the lowest price for any buyer, plus
// NODE_COST. Rules between pods, the greedy pass's domains and alternatives, and concentration are
// left out; each of them only raises the real price.
#pragma once

#include "engine/packing/packing.h"

void packing_bound(struct packing *packing);
