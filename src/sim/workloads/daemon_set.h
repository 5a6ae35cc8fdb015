// DaemonSets: one pod on every eligible node (Kubernetes: DaemonSet). Synced node by node, so that
// a new node costs one sync a set, not a pass over all nodes.
#pragma once

#include "sim/workloads/workloads_internal.h"

void daemon_set_sync(void *workloads, const char *key);      // the set's status and all its nodes
void daemon_set_node_sync(void *workloads, const char *key); // "namespace/name@node"
void daemon_set_pod_leave(struct workloads *workloads, struct world_object *pod);
void daemon_set_pod_enter(struct workloads *workloads, struct world_object *pod);
void daemon_set_pods_free(struct workloads *workloads);
void daemon_set_node_changed(struct workloads *workloads, struct world_object *node);
