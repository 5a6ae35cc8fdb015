// Taking bins apart and packing their pods better (packing.h; SCH-550 step 8, SCH-501).
//
// Each round withdraws a few bins, the one that is paid most for nothing among some drawn by lot
// first, and fills anew with what was on them, weighing the dimensions differently each time. What
// is not cheaper, or as cheap with fewer bins, is undone. The lot is seeded, the rounds are
// counted.
#pragma once

#include "engine/packing/packing.h"

void packing_improve(struct packing *packing);
