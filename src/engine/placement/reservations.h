// Reserved capacity: the reservations of claims (SCH-255 to SCH-259, SCH-522).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// Fills attempt->reservations and may narrow the attempt. False with an error: SCH-258.
bool reservations_check(struct pass *pass, const struct claim *claim,
                        struct claim_attempt *attempt);
void reservations_take(struct pass *pass, struct claim *claim, const struct claim_attempt *attempt);
