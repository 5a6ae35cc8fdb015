// Planned nodes and their contents (packing.h).
#pragma once

#include "engine/packing/packing.h"

struct packing_bin *packing_bin_create(struct packing *packing,
                                       const struct packing_machines *machines);
// An independent copy.
struct packing_bin *packing_bin_clone(struct packing *packing, const struct packing_bin *bin);
void packing_bin_destroy(struct packing_bin *bin); // NULL is fine
void packing_bin_clear(const struct packing *packing, struct packing_bin *bin,
                       const struct packing_machines *machines);
// The most units that host ports and rules about one node allow.
uint32_t packing_bin_most(const struct packing_bin *bin, const struct packing_item *item);
// Adds units unchecked; `machines` is the list for the intersection of all sets.
void packing_bin_add(struct packing *packing, struct packing_bin *bin, uint32_t item,
                     uint32_t units, const struct packing_machines *machines);
// Commit makes the bin part of the packing and takes its units from those left; withdraw undoes
// that.
void packing_commit(struct packing *packing, struct packing_bin *bin);
void packing_withdraw(struct packing *packing, uint32_t index, struct packing_bin **bin);
// Commits up to `copies` identical bins, as far as units and limits allow.
void packing_commit_copies(struct packing *packing, const struct packing_bin *bin, uint32_t copies);
