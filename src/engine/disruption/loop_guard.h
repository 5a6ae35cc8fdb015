// Replacements that went to and fro (DIS-748): a node of one machine type is not replaced by
// another one for a while.
#pragma once

#include "engine/disruption/removal_simulation.h"

// Takes from the simulation's claims the types that a candidate's type may not be replaced by.
void loop_guard_apply(const struct disruption *disruption, struct removal_simulation *removal);
