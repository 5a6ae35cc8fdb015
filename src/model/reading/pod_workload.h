// The workload of interchangeable pods that a pod belongs to (DIS-761): the Deployment behind its
// ReplicaSet if the names show it, else its controller. Pods of DaemonSets, Jobs and Nodes, and
// pods without controller, belong to none.
#pragma once

#include "model/schema/core.h"

struct pod_workload {
    char key[640];    // the same for all pods of the workload, and for no others
    const char *kind; // "Deployment", or the controller's
    const char *name; // points into the pod
    int name_length;  // a Deployment's name is a prefix of its ReplicaSet's
};
// Returns false if the pod belongs to no workload.
bool pod_workload_find(const struct pod *pod, struct pod_workload *out);
// For the copy of a pod at its planned place in a snapshot: the terminating Node that it still runs
// on. The copy takes room at the planned place, and serves on that Node until it is evicted.
#define ANNOTATION_LEAVES_NODE "adze.dev/leaves-node"
bool pod_is_leaving(const struct pod *pod);
// The pod serves: it is running, Ready and not terminating.
bool pod_is_serving(const struct pod *pod);
