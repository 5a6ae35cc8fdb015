// Bounds on the pods of one new node: their number, and the share of a workload (SCH-521).
#pragma once

#include "engine/pass/pass_state.h"

// Whether the claim may carry a pod of this shape too, by number; false with an error.
bool claim_bounds_allow(struct pass *pass, const struct claim *claim, const struct shape *shape);
// Whether it may carry one more pod of this pod's workload. Always, if nothing bounds shares.
bool claim_bounds_allow_share(struct pass *pass, const struct claim *claim, uint32_t pod);
void claim_bounds_take(struct pass *pass, struct claim *claim, uint32_t pod); // it carries the pod
