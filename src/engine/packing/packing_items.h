// Pods of a greedy pass as items (packing.h; SCH-550 steps 1, 4 and 5).
#pragma once

#include "engine/packing/packing.h"

// The pods of the greedy pass's claims as items, into packing->items; claims that stay as they are
// into packing->kept.
void packing_items_sort(struct packing *packing);
