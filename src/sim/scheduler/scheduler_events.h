// Requeues waiting pods: each reason for a refusal has its events (Kubernetes: Scheduling
// Framework, EnqueueExtension and QueueingHint). As in kube-scheduler a hint is coarse: a pod
// refused for lack of room is tried again whenever any pod leaves any node.
#pragma once

#include "sim/scheduler/scheduler_queue.h"

// The ReplicaSet of a pod that is indistinguishable from its siblings, as long as it is unchanged;
// NULL: the pod differs.
const char *scheduler_kin(const struct pod *pod);
void scheduler_event(struct scheduler *scheduler, enum scheduler_event event);
void scheduler_node_event(struct scheduler *scheduler, uint32_t node, uint32_t events); // 0: none
void scheduler_use_hints(void *scheduler, const char *key);
