// Pods of nodes that disruption commands empty, and where their command has them go (DIS-749).
// Until they are evicted they count there: a pass that searched a place for them once more would
// find another one than kube-scheduler, and buy what nobody needs.
#pragma once

#include "control/runtime/control.h"

struct commands;
struct leaving_pods;
// A reading of the moment: it is to be destroyed before the loop runs on.
struct leaving_pods *leaving_pods_create(struct control *control, const struct commands *commands);
void leaving_pods_destroy(struct leaving_pods *leaving); // NULL is fine

struct leaving_place { // one of both, or none
    const struct node *node;
    const struct node_claim *claim; // its node is not there yet
};
// None: the pod stays, has left, or its place is gone.
struct leaving_place leaving_pods_place(const struct leaving_pods *leaving, const struct pod *pod);
static inline bool leaving_place_is_known(struct leaving_place place)
{
    return place.node != NULL || place.claim != NULL;
}
