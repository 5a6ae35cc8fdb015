// Room on a node for a pod, beside the pods that are nominated to the node.
#pragma once

#include "sim/scheduler/scheduler_internal.h"

// As kube-scheduler asks: the pod must fit as things are, and also once the pods that are expected
// on the node (status.nominatedNodeName) and have no lower priority are there. Pods that are
// expected on a node that does not exist yet count as soon as it does.
bool filter_node_with_nominees(struct filter_state *state, uint32_t node,
                               struct filter_tally *tally);
