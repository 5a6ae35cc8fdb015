// What becomes of the plan when kube-scheduler binds a pod (SCH-516): the planned place is taken,
// exchanged with that of a sibling, or free again; other pods may have lost theirs.
#pragma once

#include "control/state/cluster_contents.h"

struct landing { // where the pod was bound; members are NULL as long as they are unknown
    const struct node *node;
    const struct node_claim *claim;
    const struct state_node *state;
};
// The pod has just been bound to a node, for the first time or to another one.
void cluster_note_binding(struct cluster *cluster, struct pod_record *record,
                          const struct landing *landing);
