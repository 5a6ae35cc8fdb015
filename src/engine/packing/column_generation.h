// Values of pods and recurring bins (packing.h; SCH-550 step 6).
//
// The covering linear program: rows are pods of one size, columns are filled machines. Machines are
// filled with the pods of highest value for the room that they need, by the duals of the last
// solution, until no filling is worth more than its machine costs. Then items get the duals as
// values, and whole multiples of columns become bins.
#pragma once

#include "engine/packing/packing.h"

void column_generation(struct packing *packing);
