// The running pods by workload, as a simulation needs them to foresee kube-scheduler's choices
// (SCH-516): a pod that is evicted counts where it runs until its turn, and kube-scheduler spreads
// a workload that has no spread of its own. Made once for a problem.
#pragma once

#include "engine/problem/problem.h"

#define SCORED_DIMENSIONS 2 // DIMENSION_CPU and DIMENSION_MEMORY

struct scheduler_view {
    uint32_t *bound_of;   // by index in pods.movable: the same pod's in pods.bound; NONE: none
    uint32_t *movable_of; // the reverse
    // By index in pods.bound: the number of its controller; NONE: none that kube-scheduler spreads
    // by default. The controller's pods are in members[member_start[number]] to
    // members[member_start[number + 1]].
    uint32_t *workload_of;
    uint32_t *member_start, *members;
    uint32_t *zone_of;                   // by node: a number of its zone; SYMBOL_NONE: it has none
    int64_t (*total)[SCORED_DIMENSIONS]; // by node: its allocatable cpu and memory
};
// Lives in `arena`.
struct scheduler_view *scheduler_view_create(const struct problem *problem, struct arena *arena);
