// The order in which the nodes of a wave open (openings.h), and their pods get their places.
//
// 150 nodes open within a second or two, and from the first on kube-scheduler tries the pods. One
// whose own node is still closed goes wherever it fits, and moves the rest of its workload to other
// zones. One that fits nowhere is put at the end of the queue; writing that takes kube-scheduler
// longer than a binding, and it does nothing else meanwhile. So the head of the queue is to be
// tried in vain while the others' nodes open: its own nodes open last, and before them no node that
// has room for it.
#pragma once

#include "control/runtime/control.h"

#define OPENING_HEAD_PODS 6 // as many are tried until most nodes are open

// Sorts NodeClaims with planned pods.
void opening_order(const struct control *control, const struct node_claim **claims, uint32_t count);
