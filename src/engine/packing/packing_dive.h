// Whole machines out of fractions (packing.h; SCH-550 step 7).
//
// Few large machines are all fractions of columns in the linear program's solution, and filling the
// most valuable pods first leaves poor mixtures to the last machines. So a dive makes one bin after
// the other: the column with the largest share becomes a bin, and the program is solved again for
// the units left, with new columns. Every step completes its bins by packing_fill(), too, and the
// cheapest of these packings is kept. Then some bins at a time are taken apart and packed by
// another dive, as long as that pays (few pods only).
#pragma once

#include "engine/packing/packing.h"

// Commits bins for all units that are left, or none if there are too many kinds of items. `columns`
// are the program's; item values are its duals, before and after.
void packing_dive(struct packing *packing, struct packing_bin *const *columns, uint32_t count);
