// The number of ready pods of each workload (model/reading/pod_workload.h). By it a drain keeps the
// last ready pod of a workload with several until another is ready, and no disruption command takes
// the last of them (DIS-761). Pods with a requested eviction no longer count, even if the mirror
// lags. Work per change of a pod.
#pragma once

#include "control/state/cluster.h"

struct ready_replicas;
struct ready_replicas *ready_replicas_create(struct control *control);
void ready_replicas_destroy(struct ready_replicas *replicas); // NULL is fine

// The pod is ready, and its workload has other pods, none of them ready; its own requested eviction
// does not matter.
bool ready_replicas_is_last(const struct ready_replicas *replicas, const struct pod *pod);
// The pod's eviction is requested; or it was rejected, or its next attempt is far off.
void ready_replicas_take(struct ready_replicas *replicas, const struct pod *pod);
void ready_replicas_give_back(struct ready_replicas *replicas, const char *pod_uid);

// The node with these pods is being deleted, or its NodeClaim's delete call is under way. Once the
// NodeClaim shows it, the room notices by itself.
void ready_replicas_leave(struct ready_replicas *replicas, const struct pod_list *pods);
void ready_replicas_stay(struct ready_replicas *replicas, const struct pod_list *pods); // after all
// A pod of these nodes whose workload would have no ready pod on a remaining node, NULL if there is
// none. A node that alone has all ready pods of a workload may go by itself, as in the decision
// (engine/disruption/workload_guard.h).
const struct pod *ready_replicas_last_ready(struct ready_replicas *replicas,
                                            const struct pod_list *const *nodes, uint32_t count);
