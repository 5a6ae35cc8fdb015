// Mends the order of spread_order.h after kube-scheduler's queue has moved on: a pod that it has
// tried in vain comes last. Pods keep their planned places where these still fit at their turn.
#pragma once

#include "control/nomination/spread_places.h"

// The workloads of the pods that are planned for the NodeClaims. Returns the number of exchanges.
uint32_t spread_mend(struct control *control, const struct node_claim *const *claims,
                     uint32_t count);
// One workload, whose running pods are counted: marks the pods that move.
uint32_t spread_places_mend(struct spread_places *places);
