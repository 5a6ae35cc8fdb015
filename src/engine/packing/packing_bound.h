// The least that any packing costs (packing.h; SCH-550 step 10).
//
// Whatever pods are held to be worth: if no machine can hold more than `most` times its price, then
// all pods together cost at least what they are worth, divided by `most`. The values are those of
// the linear program, so that `most` is near 1. Machines are taken at the lowest price of anybody
// who may buy them and NODE_COST; rules between pods, what the greedy pass decided about domains
// and chose among alternatives, and how much is on one node are left aside: all that only lowers
// the bound.
#pragma once

#include "engine/packing/packing.h"

void packing_bound(struct packing *packing);
