// Local search over bins (packing.h; SCH-550 step 8, SCH-501).
//
// Each round withdraws a few random bins, first the one among several draws that wastes most, and
// fills bins again with their items, with other weights of the dimensions each time. A round that
// is neither cheaper nor equally cheap with fewer bins is undone. The random numbers are seeded,
// the rounds are counted.
#pragma once

#include "engine/packing/packing.h"

void packing_improve(struct packing *packing);
