// How many ready pods each workload has (model/reading/pod_workload.h), so that a drain can keep
// the last of a workload with several until another is ready, and so that no disruption command
// takes the last of them (DIS-761). Pods whose eviction has been asked for count no longer,
// whatever the mirror still says. Work per change of a pod.
#pragma once

#include "control/state/cluster.h"

struct ready_replicas;
struct ready_replicas *ready_replicas_create(struct control *control);
void ready_replicas_destroy(struct ready_replicas *replicas); // NULL is fine

// The pod is ready, its workload has other pods, and none of them is ready; whether or not the
// pod's own eviction has been asked for.
bool ready_replicas_is_last(const struct ready_replicas *replicas, const struct pod *pod);
// The pod's eviction is being asked for; or it was refused, or will not be asked for again so soon.
void ready_replicas_take(struct ready_replicas *replicas, const struct pod *pod);
void ready_replicas_give_back(struct ready_replicas *replicas, const char *pod_uid);

// The node with these pods is being deleted: its NodeClaim is, or that is being asked for. It is
// noticed by itself once the NodeClaim says so.
void ready_replicas_leave(struct ready_replicas *replicas, const struct pod_list *pods);
void ready_replicas_stay(struct ready_replicas *replicas, const struct pod_list *pods); // after all
// A pod of these nodes whose workload would have nothing ready on a node that stays if they went,
// NULL if there is none. A node that alone has all ready pods of a workload may go by itself, as
// when the disruption was decided (engine/disruption/workload_guard.h).
const struct pod *ready_replicas_bereft(struct ready_replicas *replicas,
                                        const struct pod_list *const *nodes, uint32_t count);
