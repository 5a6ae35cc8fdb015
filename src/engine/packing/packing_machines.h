// The machines for a node with given requirements (packing.h; SCH-550 step 2, SCH-505, SCH-507).
#pragma once

#include "engine/packing/packing.h"

// The template's machines for this set, which includes the template's own set.
const struct packing_machines *packing_machines_of(struct packing *packing,
                                                   const struct node_template *template,
                                                   uint32_t set);
// The machines narrowed to the item group; NULL: there are none.
const struct packing_machines *packing_machines_with(struct packing *packing,
                                                     const struct packing_machines *machines,
                                                     uint32_t item_group);
// The packing dimension of a dimension of the problem; NONE: no pod requests it.
uint32_t packing_dimension_of(const struct packing *packing, uint32_t dimension);
// Fills `room` with the row's room for pods.
void packing_machines_room(const struct packing *packing, const struct node_template *template,
                           uint32_t row, int64_t *room);
// The first machine from `from` on that holds `used` and is within limits; machines->count: none.
uint32_t packing_machines_find(const struct packing *packing,
                               const struct packing_machines *machines, const int64_t *used,
                               uint32_t from);
// A lower bound of the price of all items: machines in fractions, each used whole.
double packing_machines_scale(struct packing *packing);
