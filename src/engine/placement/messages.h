// Texts of refusals by the type filter (SCH-239 to SCH-241).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// `requirement` names other hosts; adds nothing if it is REQUIREMENT_NONE or allows `hostname`.
void refusal_add_hostname(struct pass *pass, uint32_t requirement, uint32_t hostname);
// SCH-239, 241.
void refusal_add_filter(struct pass *pass, const struct claim *claim, uint32_t class, uint32_t set);
