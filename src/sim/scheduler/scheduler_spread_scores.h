// Topology spread that is wished for: ScheduleAnyway, and what pods of a workload get that bring no
// constraints (Kubernetes: Pod Topology Spread Constraints, "Internal default constraints").
#pragma once

#include "sim/scheduler/scheduler_internal.h"

// Scores of constraints with ScheduleAnyway, or of those that pods of a workload have by default.
void spread_score(struct filter_state *state, const struct label_selector *workload,
                  const uint32_t *nodes, int64_t *values, uint32_t count);
