// The drain of a Node (LIF-110 to LIF-114): it evicts pods group by group, and reports the pods
// that block it (LIF-449, LIF-450).
#pragma once

#include "control/node/termination_pass.h"

// Whether the Node is drained, else *result. Pods may be bound to the Node past the taint until its
// machine is deleted: these are drained, too.
bool node_drained(struct termination_pass *pass, struct reconcile_result *result);
