// Drifted nodes of dynamic pools (DIS-222 to DIS-227).
#pragma once

#include "engine/disruption/disruption.h"

// For qsort() of drifted candidates: the longest drifted first, then by name.
int compare_drift_times(const void *a, const void *b);
// Drifted candidates of dynamic pools, sorted; records the method's turn.
candidate_list drift_candidates(struct disruption *disruption, const struct candidate_table *table);
// The method: removes as many as the budgets allow.
void drift_decide(struct disruption *disruption);
