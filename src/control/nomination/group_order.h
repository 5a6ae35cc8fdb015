// The order of the pods of nodes that open together: which node first, and which of a workload's
// pods goes where, so that each fits when kube-scheduler tries it (SCH-516).
#pragma once

#include "control/runtime/control.h"

#define MENDS_MAX 3 // of an order

// Sorts the NodeClaims, which have planned pods, and exchanges the pods' planned places.
void group_order_apply(struct control *control, const struct node_claim **claims, uint32_t count);
