// What is on its way, as a part of a snapshot (SCH-528): NodeClaims that are not launched yet, and the
// pods that are spoken for (cluster.h), as if they were bound already. So a pass waits for no launch
// and still counts what was decided before: pods in their domains, room that is taken, limits.
#pragma once

#include "control/control.h"
#include "model/snapshot.h"

// NodeClaims without a provider ID come with a made-up one, the labels that their requirements fix, no
// room, and, as capacity, the most that they may still become of what their NodePool limits.
void snapshot_add_node_claims(struct snapshot *snapshot, struct control *control);
// Pods that are spoken for, on their node; where there is none yet, on one named like the NodeClaim.
// One that still runs on a node that is going bears ANNOTATION_LEAVES_NODE (model/pod_workload.h).
void snapshot_add_planned_pods(struct snapshot *snapshot, struct control *control);
