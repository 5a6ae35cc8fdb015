// Pods of a spread workload that are planned for the same node exchange their places with pods on
// other nodes of the same domain, as far as there is room (SCH-516). kube-scheduler counts a pod
// that is nominated to a node as being there: of a workload that is spread over zones one a node
// can be told, or two at the right time (spread_order.h); the others have to wait. Nothing else
// changes: each node has the pods that it has room for, each zone as many of the workload as
// before.
#pragma once

#include "control/runtime/control.h"

void sibling_exchange(struct control *control, const struct node_claim *const *claims,
                      uint32_t count);
