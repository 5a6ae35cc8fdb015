// What pods are worth, and which bins recur (packing.h; SCH-550 step 6).
//
// The linear program of covering: rows are pods of one size, columns are filled machines. Machines
// are filled with the pods that are worth most for the room that they take, by the duals of the
// last solution, until no filling is worth more than its machine costs. Kinds then get the duals as
// values, and whole multiples of the columns become bins.
#pragma once

#include "engine/packing/packing.h"

void column_generation(struct packing *packing);
