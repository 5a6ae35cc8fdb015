// Required topology spread (Kubernetes: Pod Topology Spread Constraints).
#pragma once

#include "sim/scheduler/scheduler_internal.h"

void spread_prepare(struct filter_state *state);
bool spread_filter(const struct filter_state *state, const struct filter_node *node,
                   struct filter_tally *tally);
bool spread_includes(const struct pod_spec *spec,
                     const struct topology_spread_constraint *constraint,
                     const struct node *node); // nodeAffinityPolicy, nodeTaintsPolicy
