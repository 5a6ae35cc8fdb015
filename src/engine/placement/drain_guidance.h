// Guided drains (DIS-749): while many pods leave their nodes one by one, all nodes but the next
// pod's planned one carry the taint adze.dev/filled-later:PreferNoSchedule
// (control/node/drain_guide.h). kube-scheduler gives a node without such a taint GUIDE_SCORE more
// than the others, so that a decision may fill nodes as it likes, within this reach.
#pragma once

#include "engine/problem/problem.h"

#define GUIDE_SCORE        INT64_C(300) // 100, with the weight of TaintToleration
#define GUIDED_PODS        10           // fewer evicted pods are not worth the taints
#define GUIDED_NODES_MAX   500          // as many are tainted at most, and two a pod
#define GUIDED_NODES_A_POD 2

// True if the pod's successor can be led: it comes at once, and minds the taint.
bool pod_is_led(const struct pod *pod);
// True if the node can get the taint; others draw pods as the planned one does.
static inline bool node_can_get_taint(const struct state_node *state)
{
    return state->claim != NULL && state->node != NULL;
}
