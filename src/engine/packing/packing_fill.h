// Filling bins (packing.h; SCH-550 steps 6 and 7).
//
// The most valuable remaining item comes next. Every machine that could hold it is filled, starting
// with those of the lowest price for their last contents; the lowest price for the value of the
// contents wins. Within a machine the next item is the one of highest value for its share of the
// free room.
#pragma once

#include "engine/packing/packing.h"

// Fills bins until no units are left; false if an item fits no machine or the steps are used up.
bool packing_fill(struct packing *packing);
// Sorts the items for packing_fill() by their present values.
void packing_rank(struct packing *packing);
