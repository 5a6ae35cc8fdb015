// A packing of a greedy pass (packing.h).
#pragma once

#include "engine/packing/packing.h"

// The pods of the greedy pass's claims as items; `fresh` is a pass in which nothing is placed yet.
struct packing *packing_create(const struct pass *greedy, const struct pass *fresh, double margin);
void packing_destroy(struct packing *packing);
