// Planned objects as a part of a snapshot (SCH-528): unlaunched NodeClaims, and planned pods
// (cluster.h) as if they were bound. So a pass waits for no launch and still counts former
// decisions: pods in their domains, used room, limits.
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/snapshot.h"

struct commands;
struct leaving_pods;
struct workload_bursts;

// NodeClaims without a provider ID come with a made-up one, the labels that their requirements fix,
// no room, and, as capacity, the most that they may still become of what their NodePool limits.
void snapshot_add_node_claims(struct snapshot *snapshot, struct control *control,
                              const struct commands *commands);
// Pods that are spoken for, by a plan or by the command that empties their node, on that node;
// where there is none yet, on one named like the NodeClaim. One that still runs on a node that is
// going bears ANNOTATION_LEAVES_NODE (model/reading/pod_workload.h).
void snapshot_add_planned_pods(struct snapshot *snapshot, struct control *control,
                               const struct leaving_pods *leaving);
// A pod that waits for a place. A nomination of ours that came to nothing is left out.
void snapshot_add_waiting(struct snapshot *snapshot, const struct pod *pod);
// Pods that workloads are about to create (workload_bursts.h): those that have a place are there,
// the others wait.
void snapshot_add_expected_pods(struct snapshot *snapshot, struct control *control,
                                struct workload_bursts *bursts);
