// How many ready pods each workload has (model/pod_workload.h), so that a drain can keep the last
// of a workload with several until another is ready (DIS-761). Pods whose eviction has been asked
// for count no longer, whatever the mirror still says. Work per change of a pod.
#pragma once

#include "control/control.h"

struct ready_replicas;
struct ready_replicas *ready_replicas_create(struct control *control);
void ready_replicas_destroy(struct ready_replicas *replicas); // NULL is fine

// The pod is ready, its workload has other pods, and none of them is ready.
bool ready_replicas_is_last(const struct ready_replicas *replicas, const struct pod *pod);
// The pod's eviction is being asked for; or it was refused.
void ready_replicas_take(struct ready_replicas *replicas, const struct pod *pod);
void ready_replicas_give_back(struct ready_replicas *replicas, const char *pod_uid);
