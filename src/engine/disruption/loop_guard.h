// Replacements that went to and fro (DIS-748): a node of one machine type is not replaced by
// another one for a while.
#pragma once

#include "engine/disruption/removal_simulation.h"

// Takes from the trial's claims the types that a candidate's type may not be replaced by.
void loop_guard_drop(const struct disruption *disruption, struct trial *trial);
