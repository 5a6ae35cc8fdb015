// Liveness: a NodeClaim without a Node in time is deleted (LIF-70 to LIF-75).
#pragma once

#include "control/nodeclaim/claim_pass.h"

void claim_liveness(struct claim_pass *pass); // LIF-70 to 75
