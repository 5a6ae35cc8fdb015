// From a finished pass to a plan (SCH-370 to SCH-379, SCH-384, FMT-10 to FMT-12).
#pragma once

#include "engine/engine.h"
#include "engine/pass.h"

// Everything in the plan is copied into its arena or belongs to the snapshot.
void finish_plan(struct pass *pass, const struct plan_options *options, struct plan *plan);
