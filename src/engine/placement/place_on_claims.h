// Open claims, in order (SCH-210, SCH-216).
#pragma once

#include "engine/pass/pass_state.h"

// SCH-210 to SCH-216: places the pod on the first claim that accepts it, the emptiest first.
bool place_on_claims(struct pass *pass, uint32_t pod, uint32_t class);
