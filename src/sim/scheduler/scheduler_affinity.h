// Affinity and anti-affinity between pods (Kubernetes: Assigning Pods to Nodes).
#pragma once

#include "sim/scheduler/scheduler_internal.h"

void affinity_prepare(struct filter_state *state);
// Preferred terms, of the pod and of pods on nodes, that attract it to nodes or repel it.
struct affinity_states affinity_draws(struct filter_state *state);
bool affinity_filter(const struct filter_state *state, const struct filter_node *node,
                     struct filter_tally *tally);
