// The order in which combinations of several keys' alternatives are tried (SCH-306, 311): where a
// claim is open in several keys, the cheapest launch is that of all of them together; the cheapest
// capacity type may be dear in the cheapest zone.
//
// Off under COMPATIBILITY=upstream.
#pragma once

#include "engine/topology/topology_choice.h"

// Sorts the combinations of the choice, whose keys are settled, and turns to the first. Keys that
// groups have wishes about come first, each in its order; then the price counts. Beyond
// COMBINATIONS_MAX the keys' own orders hold.
void topology_combine(struct pass *pass, const struct candidate *candidate,
                      struct topology_choice *choice);
// Turns to the next combination; false at the end.
bool topology_advance(struct topology_choice *choice);
// The requirements of the present combination; SET_EMPTY: there are none.
uint32_t topology_answer(struct pass *pass, const struct topology_choice *choice);
