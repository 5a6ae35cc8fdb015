// Tables of NodePool, NodeClaim, NodeOverlay, CapacityBuffer and KWOKNodeClass (API-30 to 108).
#pragma once

#include "model/schema/schema.h"

extern const char *const requirement_operators[], *const taint_effects[];
extern const struct type type_status_condition; // API-21
extern const struct type type_claim_condition;  // API-21, relaxed for NodeClaims
