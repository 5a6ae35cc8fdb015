// Bounds on the pods of one new node: their number, and the share of a workload (SCH-521).
#pragma once

#include "engine/pass/pass_state.h"

// True if the claim may carry one more pod of this shape, by number; false with an error.
bool claim_bounds_allow(struct pass *pass, const struct claim *claim, const struct shape *shape);
// True if the claim may carry one more pod of this pod's workload. Always true without bounds on
// shares.
bool claim_bounds_allow_share(struct pass *pass, const struct claim *claim, uint32_t pod);
void claim_bounds_take(struct pass *pass, struct claim *claim, uint32_t pod); // counts the pod
