// What wakes pods that wait: each reason for a refusal has its events (Kubernetes: Scheduling
// Framework, EnqueueExtension and QueueingHint). As in kube-scheduler a hint looks at little: a pod
// that was refused for want of room is tried again whenever any pod leaves any node.
#pragma once

#include "sim/scheduler/scheduler_queue.h"

// The ReplicaSet whose pods the scheduler cannot tell apart, as long as they are as it made them;
// NULL: the pod is one of its own.
const char *scheduler_kin(const struct pod *pod);
void scheduler_event(struct scheduler *scheduler, enum scheduler_event event);
void scheduler_node_event(struct scheduler *scheduler, uint32_t node, uint32_t events); // 0: none
void scheduler_use_hints(void *scheduler, const char *key);
