// Scores of the feasible nodes: kube-scheduler's plugins with its default arguments and weights, as
// of Kubernetes 1.36 (Kubernetes: Scheduler Configuration). Each gives 0 to 100. Left out:
// ImageLocality, since simulated nodes have no images.
#pragma once

#include "sim/scheduler/scheduler_filters.h"

// Scores feasible nodes; greater is better. `nodes` and `scores` have `count` entries. workload:
// selects the pods of the workload and the Services of the pod; NULL: none. Pods of a workload
// without topology spread constraints are spread over hosts and zones by default.
void filter_score(struct filter_state *state, const struct label_selector *workload,
                  const uint32_t *nodes, int64_t *scores, uint32_t count);
