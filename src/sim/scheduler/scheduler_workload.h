// The pods of the default spread: those of the pod's ReplicaSet, StatefulSet or
// ReplicationController and of the Services that select it (Kubernetes: Pod Topology Spread
// Constraints, "Cluster-level default constraints").
#pragma once

#include "sim/scheduler/scheduler_queue.h"

// In the arena, with texts borrowed from the objects; NULL: the pod belongs to no workload.
const struct label_selector *scheduler_workload(const struct world *world,
                                                const struct world_object *pod,
                                                struct arena *arena);
