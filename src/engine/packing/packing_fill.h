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
// A bin of the cheapest machine for the item, with as many units as it holds; NULL: there is none.
struct packing_bin *packing_fill_alone(struct packing *packing, uint32_t item);
// What the best filling of the machine is worth at most.
double packing_fill_bound(struct packing *packing, struct packing_machines *machines,
                          uint32_t machine);
// A bin of this machine, or of a cheaper one, with pods worth more than `factor` times its price;
// NULL: none was found.
struct packing_bin *packing_fill_machine(struct packing *packing, struct packing_machines *machines,
                                         uint32_t machine, double factor);
void packing_filler_destroy(struct packing_filler *filler); // NULL is fine
