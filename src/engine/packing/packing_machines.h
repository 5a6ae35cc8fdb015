// Machines that a node of given requirements can be (packing.h; SCH-550 step 2, SCH-505, SCH-507).
#pragma once

#include "engine/packing/packing.h"

// The machines of the template for nodes of this set, which has the template's in it.
const struct packing_machines *packing_machines_of(struct packing *packing,
                                                   const struct node_template *template,
                                                   uint32_t set);
// The machines of nodes that have pods of the item group too; NULL: there can be none.
const struct packing_machines *packing_machines_with(struct packing *packing,
                                                     const struct packing_machines *machines,
                                                     uint32_t item_group);
// What a machine of the row has for pods, into `room`.
void packing_machines_room(const struct packing *packing, const struct node_template *template,
                           uint32_t row, int64_t *room);
// The first machine from `from` on that holds `used`, as far as limits allow; machines->count:
// none.
uint32_t packing_machines_find(const struct packing *packing,
                               const struct packing_machines *machines, const int64_t *used,
                               uint32_t from);
// What all items cost at least, roughly: each dimension by itself at its lowest price; the most of
// these.
double packing_machines_scale(struct packing *packing);
