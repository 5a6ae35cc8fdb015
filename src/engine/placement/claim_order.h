// The order in which claims are tried (SCH-210, SCH-216).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// SCH-210 to SCH-216: the same for the claims of the pass, the emptiest first.
bool place_on_claims(struct pass *pass, uint32_t pod, uint32_t class);
// The claim has a pod more than `before`: its place in the order of SCH-210.
void claim_reorder(struct pass *pass, struct claim *claim, uint32_t before);
