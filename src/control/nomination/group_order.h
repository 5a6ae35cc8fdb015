// The order of the pods of nodes that open together: which node first, and which of a workload's
// pods goes where, so that each fits when kube-scheduler tries it (SCH-516). Pods with a spread
// that still wait for an open node take part: the spread admits them there only when others of
// their workload are bound to the nodes of the group.
#pragma once

#include "control/runtime/control.h"

#define MENDS_MAX 3 // of an order

// Sorts the NodeClaims, which have planned pods, and exchanges the pods' planned places.
void group_order_apply(struct control *control, const struct node_claim **claims, uint32_t count);
// Looks at the order again: kube-scheduler's queue may have moved on (spread_mend.h). Returns the
// number of exchanges.
uint32_t group_order_mend(struct control *control, const struct node_claim *const *claims,
                          uint32_t count);
