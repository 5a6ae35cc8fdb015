// Preferred topology spread: ScheduleAnyway, and the default constraints of workload pods that have
// none (Kubernetes: Pod Topology Spread Constraints, "Internal default constraints").
#pragma once

#include "sim/scheduler/scheduler_internal.h"

// Scores of constraints with ScheduleAnyway, or of the default constraints of workload pods.
void spread_score(struct filter_state *state, const struct label_selector *workload,
                  const uint32_t *nodes, int64_t *values, uint32_t count);
