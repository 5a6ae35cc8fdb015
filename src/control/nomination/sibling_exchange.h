// Pods of a spread workload that are planned for the same node exchange their places with pods on
// other nodes of the same domain, as far as there is room (SCH-516). kube-scheduler counts a
// nominated pod on its node: so one pod a node of a workload that is spread over zones can be
// nominated, or two at the right time (spread_order.h); the others have to wait. Nothing else
// changes: every node has room for its pods, every zone as many pods of the workload as before.
#pragma once

#include "control/runtime/control.h"

void sibling_exchange(struct control *control, const struct node_claim *const *claims,
                      uint32_t count);
