// Filling bins (packing.h; SCH-550 steps 6 and 7).
//
// The most valuable item that is left must go somewhere: every machine that could carry it is
// filled, starting with those that were the cheapest for what they held before, and the one with
// the lowest price for the value of its contents wins. Within a machine the next item is the one
// that is worth most for its share of the room that is left.
#pragma once

#include "engine/packing/packing.h"

// steps are used up.
bool packing_fill(struct packing *packing);
// The order in which items get bins, by their present values.
void packing_rank(struct packing *packing);
