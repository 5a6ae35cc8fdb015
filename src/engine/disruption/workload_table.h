// The workloads whose pods serve, with how many of them are ready and how many are leaving anyway:
// what the guard of workloads counts on (DIS-761).
//
// A workload is what controls pods: a Deployment as a whole, else the controller of the pods by its
// UID. DaemonSets and Jobs are none: their pods serve in no other's place.
#pragma once

#include "base/map.h"
#include "engine/problem/problem.h"

struct guarded_workload {
    const char *name;  // for people
    uint32_t index;    // in the guards' counts
    uint32_t replicas; // pods that have not ended, whatever they are doing
    uint32_t ready;
    uint32_t leaving; // ready ones on nodes that are going anyway, wherever they are to come
};

// The workloads of one decision.
struct workload_table {
    struct arena *arena;
    struct map *workloads;             // by key
    struct guarded_workload **serving; // by running pod; NULL: it does not serve, or is of none
};
// `going`: by index of the problem's nodes, those that go anyway. Points into `arena`; the caller
// destroys it first.
struct workload_table *workload_table_create(const struct problem *problem, struct bitset going,
                                             struct arena *arena);
void workload_table_destroy(struct workload_table *table); // NULL is fine
