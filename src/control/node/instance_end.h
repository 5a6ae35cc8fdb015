// The end of a Node's machine: whether it is gone already, and telling the cloud to end it.
#pragma once

#include "control/node/termination_pass.h"

// LIF-103: whether the machine of a Node that is not Ready is gone; then there is nothing to drain.
// If `wait`, that is not known yet, or volumes are waited for: *result says how.
bool instance_vanished(struct termination_pass *pass, struct reconcile_result *result, bool *wait);
// LIF-140: whether the machine has been ended, else *result.
bool instance_terminated(struct termination_pass *pass, struct reconcile_result *result);
