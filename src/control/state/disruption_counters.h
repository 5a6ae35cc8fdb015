// Metrics of NodeClaims that a controller deletes (LIF-351).
#pragma once

#include "control/runtime/control.h"

// nodeclaims_disrupted_total; `reason` in snake case.
void count_disrupted(struct control *control, const struct node_claim *claim, const char *reason);
// Begins the series with 0, so that the first of these deletions counts in increase().
void count_disrupted_begin(struct control *control, const struct node_claim *claim,
                           const char *reason);
// Counts also the node's reschedulable pods in pods_disruption_initiated_total.
void count_disrupted_node(struct control *control, const struct node_claim *claim,
                          const char *reason);
