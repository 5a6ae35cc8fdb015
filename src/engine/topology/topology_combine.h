// The order of combinations over several keys (SCH-306, 311). If a claim is open in several keys,
// all of them together decide the cheapest launch: the cheapest capacity type may be expensive in
// the cheapest zone.
//
// Off under COMPATIBILITY=upstream.
#pragma once

#include "engine/topology/topology_choice.h"

// Sorts the combinations of the choice, whose alternatives are complete, and selects the first.
// Keys with ranked alternatives come first, each in its order; then the price decides. Above
// COMBINATIONS_MAX the keys' own orders hold.
void topology_combine(struct pass *pass, const struct candidate *candidate,
                      struct topology_choice *choice);
// Selects the next combination; false after the last.
bool topology_advance(struct topology_choice *choice);
// The requirements of the selected combination; SET_EMPTY: none.
uint32_t topology_answer(struct pass *pass, const struct topology_choice *choice);
