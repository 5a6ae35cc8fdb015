// The guard against consolidation loops (DIS-748): after replacements back and forth between two
// machine types, neither replaces the other for a while.
#pragma once

#include "engine/disruption/disruption.h"

// Removes guarded types of the candidates from the claims.
void loop_guard_apply(const struct disruption *disruption,
                      struct disruption_candidate *const *candidates, uint32_t count,
                      struct claim *const *claims, uint32_t claims_count);
