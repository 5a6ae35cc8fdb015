// Gauges of NodeClaims by the phase of their lifecycle: how many, and the longest time in it. Each
// NodeClaim is in one phase.
#pragma once

#include "control/runtime/control.h"

struct claim_phases;
struct claim_phases *claim_phases_create(struct control *control);
void claim_phases_destroy(struct claim_phases *phases);
