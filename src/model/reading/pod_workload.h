// The workload that a pod is one of several interchangeable pods of (DIS-761): the Deployment
// behind its ReplicaSet where the names tell, else what controls it. Pods of DaemonSets, Jobs and
// Nodes, and those without controller, are of none.
#pragma once

#include "model/schema/core.h"

struct pod_workload {
    char key[640];    // the same for all pods of the workload, and for no others
    const char *kind; // "Deployment", or the controller's
    const char *name; // points into the pod
    int name_length;  // a Deployment's name ends before its ReplicaSet's
};
// False: the pod is of none.
bool pod_workload_find(const struct pod *pod, struct pod_workload *out);
// On the copy of a pod that a snapshot shows where it is planned to come: the Node that it still
// runs on, and that is going. It takes its room there, and serves here for as long as it is not
// evicted.
#define ANNOTATION_LEAVES_NODE "adze.dev/leaves-node"
bool pod_is_leaving(const struct pod *pod);
// The pod serves: it runs, is Ready and not about to end.
bool pod_is_serving(const struct pod *pod);
