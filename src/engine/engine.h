// The decision: a pure function from snapshot to plan (design.md idea 1).
//
// No I/O, no clock, no globals; the same snapshot gives the same plan, byte for byte, whatever the
// order of its arrays. Uses model/ and base/ only.
#pragma once

#include "engine/problem/plan_options.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

// The plan of one provisioning pass. NULL if the pass ends with an error (SCH-25, SCH-282), which
// is then in *error.
struct plan *engine_plan(const struct snapshot *snapshot, const struct plan_options *options,
                         struct error *error) MUST_USE;
