// The order in which claims are tried (SCH-210, SCH-216).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// Moves the claim to its new position in the order of SCH-210; it had `before` pods.
void claim_reorder(struct pass *pass, struct claim *claim, uint32_t before);
