// Pending pods that may need a node that is about to be removed (DIS-725, DIS-765). Pure.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/schema/core.h"

// True if the pending pod may run on the node without the disruption taint: checks selector,
// requests and taints, ignoring other pods of the node. Only pods that have not waited for long
// count, or that are planned again in a moment (`is_displaced`): a pod that waits in vain must not
// keep empty nodes alive. `now`: wall clock, nanoseconds.
bool node_is_wanted_by(struct arena *arena, const struct node *node, const struct pod *pod,
                       bool is_displaced, int64_t now);
