// The end of a Node's machine: whether it is gone, and its deletion in the cloud.
#pragma once

#include "control/node/termination_pass.h"

// LIF-103: whether the machine of a Node that is not Ready is gone; then there is nothing to drain.
// With `wait` that is unknown, or volumes are still attached: *result is to be returned.
bool instance_vanished(struct termination_pass *pass, struct reconcile_result *result, bool *wait);
// LIF-140: whether the machine has been deleted, else *result.
bool instance_terminated(struct termination_pass *pass, struct reconcile_result *result);
