// Pods of a greedy pass as items (packing.h; SCH-550 steps 1, 4 and 5).
#pragma once

#include "engine/packing/packing.h"

// The pods of the greedy pass's claims as items; `fresh` is a pass in which nothing is placed yet.
struct packing *packing_create(const struct pass *greedy, const struct pass *fresh, double margin);
void packing_destroy(struct packing *packing);
