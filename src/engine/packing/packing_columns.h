// Fillings of one machine as columns of the linear program (SCH-550 step 3).
#pragma once

#include "engine/packing/packing.h"

// A bin on the cheapest machine for the item, with as many units as fit; NULL: no machine.
struct packing_bin *packing_fill_alone(struct packing *packing, uint32_t item);
// An upper bound of the value of any filling of the machine.
double packing_fill_bound(struct packing *packing, struct packing_machines *machines,
                          uint32_t machine);
// A bin on this machine, or a cheaper one, with a value above `factor` times its price; NULL: none
// found.
struct packing_bin *packing_fill_machine(struct packing *packing, struct packing_machines *machines,
                                         uint32_t machine, double factor);
