// Checks a pod on a claim, and adds it (SCH-212 to SCH-215, SCH-235, SCH-508).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// SCH-212. `fresh`: the claim is not open yet.
enum verdict claim_check(struct pass *pass, const struct claim *claim, uint32_t class, bool fresh,
                         struct claim_attempt *attempt);
void claim_accept(struct pass *pass, struct claim *claim, uint32_t pod, uint32_t class,
                  const struct claim_attempt *attempt);
