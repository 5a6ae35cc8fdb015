// Fillings of one machine as columns of the linear program (SCH-550 step 3).
#pragma once

#include "engine/packing/packing.h"

// A bin of the cheapest machine for the item, with as many units as it holds; NULL: there is none.
struct packing_bin *packing_fill_alone(struct packing *packing, uint32_t item);
// What the best filling of the machine is worth at most.
double packing_fill_bound(struct packing *packing, struct packing_machines *machines,
                          uint32_t machine);
// A bin of this machine, or of a cheaper one, with pods worth more than `factor` times its price;
// NULL: none was found.
struct packing_bin *packing_fill_machine(struct packing *packing, struct packing_machines *machines,
                                         uint32_t machine, double factor);
