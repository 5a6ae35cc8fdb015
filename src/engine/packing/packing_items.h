// Pods of a greedy pass as items (packing.h; SCH-550 steps 1, 4 and 5).
#pragma once

#include "engine/packing/packing.h"

// Adds the pods of the greedy pass's claims to packing->items; claims that are not repacked go to
// packing->kept.
void packing_items_sort(struct packing *packing);
