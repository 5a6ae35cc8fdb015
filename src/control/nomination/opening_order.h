// The order in which the nodes of a wave open (openings.h), and their pods get their places.
//
// 150 nodes open within a second or two, and from the first on kube-scheduler tries the pods. One
// whose own node is still closed goes wherever it fits, and moves the rest of its workload to other
// zones. So nodes open in the order in which their pods are tried. The head of the queue is tried
// in vain all the same, before its nodes can be open: it counts as coming last (spread_mend.h), and
// nodes that have room for it besides their own pods open last.
#pragma once

#include "control/runtime/control.h"

#define OPENING_HEAD_PODS 6 // as many are tried in vain

// Sorts NodeClaims with planned pods.
void opening_order(const struct control *control, const struct node_claim **claims, uint32_t count);
