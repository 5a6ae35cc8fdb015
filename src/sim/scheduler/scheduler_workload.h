// The pods among which a pod is spread by default: those of its ReplicaSet, StatefulSet or
// ReplicationController and of the Services that select it (Kubernetes: Pod Topology Spread
// Constraints, "Cluster-level default constraints").
#pragma once

#include "sim/scheduler/scheduler_queue.h"

// In the arena, with texts of the objects that it is made of; NULL: the pod belongs to no workload.
const struct label_selector *scheduler_workload(const struct world *world,
                                                const struct world_object *pod,
                                                struct arena *arena);
