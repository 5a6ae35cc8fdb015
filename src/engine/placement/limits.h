// What is left of NodePools' limits (SCH-360 to SCH-364, SCH-519).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// What is left at the start of the pass.
void limits_start(struct pass *pass);
// What all nodes leave, by template; NULL: no limits.
int64_t **limits_remaining(const struct problem *problem, struct arena *arena);
// The template's rows that the limits still allow; false with an error if there are none.
bool limits_allow_new(struct pass *pass, const struct node_template *template, struct bitset rows);
// Drops rows that an open claim may not grow into; false with an error if none is left.
bool limits_allow_more(struct pass *pass, const struct claim *claim, struct bitset rows);
// Takes what the claim needs now, instead of what it took before.
void limits_take(struct pass *pass, struct claim *claim);
// At the end, any number of times: drops machines with which the claims of a pool could together
// exceed its limits, whatever is launched.
void limits_settle(struct pass *pass);
