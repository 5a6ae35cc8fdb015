// The cost of evicting a pod (DIS-55, DIS-757).
#pragma once

#include "model/schema/core.h"

// From its priority and its deletion cost: 1 for an ordinary pod, from -10 to 10.
double pod_eviction_cost(const struct pod *pod);
// The same plus the work that a Job's pod would lose.
double pod_disruption_cost(const struct pod *pod, int64_t now);
