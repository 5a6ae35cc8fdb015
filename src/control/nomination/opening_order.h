// The order in which the nodes of a wave open (openings.h), and their pods get their places.
//
// 150 nodes open one after the other within about a second, and from the first on kube-scheduler
// tries the pods: one whose own node is still closed goes wherever it fits, and moves the rest of
// its workload to other zones. So the nodes whose pods are tried first open first, and those with
// room for the pods of others open last.
#pragma once

#include "control/runtime/control.h"

// Sorts NodeClaims with planned pods.
void opening_order(const struct control *control, const struct node_claim **claims, uint32_t count);
