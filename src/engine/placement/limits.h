// Remaining limits of NodePools (SCH-360 to SCH-364, SCH-519).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// Sets the remaining limits at the start of the pass.
void limits_start(struct pass *pass);
// The limits less all existing nodes, by template; NULL: no limits.
int64_t **limits_remaining(const struct problem *problem, struct arena *arena);
// Keeps the template's rows within the remaining limits; false with an error if there are none.
bool limits_allow_new(struct pass *pass, const struct node_template *template, struct bitset rows);
// Drops rows that exceed the limits of an open claim; false with an error if none is left.
bool limits_allow_more(struct pass *pass, const struct claim *claim, struct bitset rows);
// Charges the claim's current needs, in place of its earlier charge.
void limits_take(struct pass *pass, struct claim *claim);
// Call at the end, any number of times: drops machines until all possible launches of a pool's
// claims together stay within its limits.
void limits_settle(struct pass *pass);
