// The drain of a Node that goes (LIF-110 to LIF-114): evicts its pods group after group, and tells
// which of them hold it up (LIF-449, LIF-450).
#pragma once

#include "control/node/termination_pass.h"

// Whether the Node is drained, else *result. Until its machine is told to end, a Node takes pods
// that somebody binds to it past the taint: these are drained, too.
bool node_drained(struct termination_pass *pass, struct reconcile_result *result);
