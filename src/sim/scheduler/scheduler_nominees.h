// Room on a node for a pod, considering the pods nominated to the node.
#pragma once

#include "sim/scheduler/scheduler_internal.h"

// As in kube-scheduler, the pod must fit now, and also with the pods nominated to the node
// (status.nominatedNodeName) that have no lower priority. Pods nominated to a node that does not
// exist yet count as soon as it does.
bool filter_node_with_nominees(struct filter_state *state, uint32_t node,
                               struct filter_tally *tally);
