// A packing of a greedy pass (packing.h).
#pragma once

#include "engine/packing/packing.h"

// Turns the pods of the greedy pass's claims into items; `fresh` is a pass without placements.
struct packing *packing_create(const struct pass *greedy, const struct pass *fresh, double margin);
void packing_destroy(struct packing *packing);
