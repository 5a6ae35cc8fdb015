// The guard against consolidation loops (DIS-748): a node of one machine type is not replaced by
// another one for a while after replacements went to and fro between them.
#pragma once

#include "engine/disruption/disruption.h"

// Takes from the claims the types that a candidate's type may not be replaced by.
void loop_guard_apply(const struct disruption *disruption,
                      struct disruption_candidate *const *candidates, uint32_t count,
                      struct claim *const *claims, uint32_t claims_count);
