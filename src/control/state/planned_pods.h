// The NodeClaim that each pod was planned for (LIF-320), from the pass that decided it until the
// pod is bound, gone or planned anew. Also the places for pods that a workload is about to create
// (workload_bursts.h). A cache: it is empty after a restart.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct map;
struct map_entry;
// A planned pod was bound to its planned node or to another one, or was displaced by other pods.
typedef void (*landing_handler)(void *context, bool as_planned);

struct planned_pods;
struct planned_pods *planned_pods_create(void);
void planned_pods_destroy(struct planned_pods *planned); // NULL is fine

// A later plan replaces an earlier one. `name` is the pod's, as namespace/name.
void planned_pods_set(struct planned_pods *planned, const char *pod_uid, const char *name,
                      const char *claim);
void planned_pods_forget(struct planned_pods *planned, const char *pod_uid); // NULL is fine
// The NodeClaim's name, or NULL; valid until a pod of that NodeClaim is forgotten.
const char *planned_pods_claim(const struct planned_pods *planned, const char *pod_uid);
// The next NodeClaim with pods or places, in no particular order; NULL: there are no more.
// `position` starts as NULL.
const char *planned_pods_next_claim(const struct planned_pods *planned,
                                    struct map_entry **position);
// Number of pods and places on the NodeClaim.
uint32_t planned_pods_count(const struct planned_pods *planned, const char *claim);
// The name of its pod with that number, as namespace/name; NULL: there are no more.
const char *planned_pods_on(const struct planned_pods *planned, const char *claim, uint32_t number);

// One more place on the NodeClaim for a pod that the workload is about to create.
void planned_pods_expect(struct planned_pods *planned, const char *workload_uid, const char *claim);
// Places that no pod has taken yet.
uint32_t planned_pods_expected(const struct planned_pods *planned, const char *workload_uid);
// The NodeClaim of the place that the workload's next pod but `number` takes, by the order of
// planned_pods_arrive(); NULL: there are fewer.
const char *planned_pods_next_place(const struct planned_pods *planned, const char *workload_uid,
                                    uint32_t number);
// A new pod of the workload takes the earliest planned place, kept places last; false: there is
// none.
bool planned_pods_arrive(struct planned_pods *planned, const char *workload_uid,
                         const char *pod_uid, const char *name);
// The workload creates no more pods.
void planned_pods_expect_no_more(struct planned_pods *planned, const char *workload_uid);

// One more place on the NodeClaim for the successor of a pod that disruption evicts. The place is
// kept whether or not the workload is complete.
void planned_pods_keep(struct planned_pods *planned, const char *workload_uid, const char *claim);
// Kept places on the NodeClaim that no pod has taken yet.
uint32_t planned_pods_kept(const struct planned_pods *planned, const char *claim);
// Pods that the workload's controller has yet to create: so many kept places are about to be taken.
void planned_pods_set_missing(struct planned_pods *planned, const char *workload_uid,
                              uint32_t count);
uint32_t planned_pods_missing(const struct planned_pods *planned); // in all workloads
// Pods that will be evicted from the nodes of commands, by workload (uint32_t): after the missing
// ones, their successors take so many kept places.
void planned_pods_set_leaving(struct planned_pods *planned, const struct map *counts);
// Kept places on the NodeClaim that missing and leaving pods will take.
uint32_t planned_pods_awaited(struct planned_pods *planned, const char *claim);
// No more pods are evicted for the NodeClaim. From the next count of missing or leaving pods on, of
// its kept places only those stay that such pods will take: pods of another command may have taken
// the places of this one.
void planned_pods_end_keeping(struct planned_pods *planned, const char *claim);
// Drops all places on a deleted NodeClaim, kept ones included.
void planned_pods_forget_claim(struct planned_pods *planned, const char *claim);
