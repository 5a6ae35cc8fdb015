// Nodes to be, with what is on them (packing.h).
#pragma once

#include "engine/packing/packing.h"

struct packing_bin *packing_bin_create(struct packing *packing,
                                       const struct packing_machines *machines);
void packing_bin_destroy(struct packing_bin *bin); // NULL is fine
void packing_bin_clear(const struct packing *packing, struct packing_bin *bin,
                       const struct packing_machines *machines);
// How many units rules about one node and host ports let in.
uint32_t packing_bin_most(const struct packing_bin *bin, const struct packing_item *item);
// Adds units without any check; the list is of the meet of all sets.
void packing_bin_add(struct packing *packing, struct packing_bin *bin, uint32_t item,
                     uint32_t units, const struct packing_machines *machines);
// The bin becomes part of the packing: what it holds is no longer left, and back.
void packing_commit(struct packing *packing, struct packing_bin *bin);
void packing_withdraw(struct packing *packing, uint32_t index, struct packing_bin **bin);
// Commits up to `copies` bins just like it, as long as enough is left and limits allow.
void packing_commit_copies(struct packing *packing, const struct packing_bin *bin, uint32_t copies);
