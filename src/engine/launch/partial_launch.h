// Early passes (SCH-527): a plan made while more pods of the same wave are coming. A claim goes
// ahead if what comes later cannot make it much better: it has no room for another pod like its
// own on any type, or a machine for exactly what it holds costs hardly more, per unit, than the
// best that a claim of any size could get. A claim that has outgrown such a machine leaves the rest
// of its pods to the next look. Pure.
#pragma once

#include "engine/engine.h"

// The plan of what is to be launched now, out of the plan for all pods; `plan` is consumed. The
// answer holds only claims that go ahead; `*rest` tells whether pods were left for the next pass.
// Lives with `arena` and the snapshot, like the plan.
struct plan *partial_launch_choose(struct arena *arena, const struct snapshot *snapshot,
                                   struct plan *plan, bool *rest);
