// The pods of a node that a drain evicts next (LIF-110 to LIF-114): pure.
#pragma once

#include "control/state/cluster.h"

bool pod_is_drainable(const struct pod *pod, int64_t now); // LIF-110
bool pod_is_waiting(const struct pod *pod, int64_t now);   // LIF-110
// LIF-121; deadline 0: none.
bool pod_is_overdue(const struct pod *pod, int64_t deadline, int64_t now);

struct drain {
    uint32_t waiting;      // pods that have to go, all groups
    struct pod_list evict; // to the eviction queue now: overdue ones, and the first group that is
                           // not empty; release with drain_free()
    const struct pod *blocking; // a waiting pod with active do-not-disrupt, for messages; or NULL
};
void drain_plan(struct drain *drain, const struct pod_list *pods, int64_t deadline, int64_t now);
void drain_free(struct drain *drain);
