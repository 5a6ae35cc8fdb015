// Pending pods that may want a node that is to go (DIS-725, DIS-765). Pure.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/schema/core.h"

// Whether the pending pod may run on the node once the disruption taint is gone: by selector,
// requests and taints, and whatever else is there. Only pods that have not been waiting for long
// count, or that are planned anew in a moment (`is_displaced`): one that waits in vain must not
// keep empty nodes alive. `now`: wall clock, nanoseconds.
bool node_is_wanted_by(struct arena *arena, const struct node *node, const struct pod *pod,
                       bool is_displaced, int64_t now);
