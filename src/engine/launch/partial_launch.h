// The part of the plan to launch now; consumes `plan`. It contains only claims that are launched
// early; `*rest` is true if pods are left to the next pass. Lives with `arena` and the snapshot,
// like the plan.
#pragma once

#include "engine/engine.h"

// The number of the claim's pods, in order, that fill a well-priced machine; 0: no machine.
struct plan *partial_launch_choose(struct arena *arena, const struct snapshot *snapshot,
                                   struct plan *plan, bool *rest);
