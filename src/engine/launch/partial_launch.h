// Partial launch (SCH-527) of a plan made while more pods of the same wave are coming. A claim is
// launched early if later pods cannot make it much better: no type has room for another such pod,
// or a machine for exactly its pods costs hardly more, per unit, than the best for a claim of any
// size. A claim that has outgrown such a machine leaves its other pods to the next pass. Pure.
#pragma once

#include "engine/engine.h"

// The part of the plan to launch now; consumes `plan`. It contains only claims that are launched
// early; `*rest` is true if pods are left to the next pass. Lives with `arena` and the snapshot,
// like the plan.
struct plan *partial_launch_choose(struct arena *arena, const struct snapshot *snapshot,
                                   struct plan *plan, bool *rest);
