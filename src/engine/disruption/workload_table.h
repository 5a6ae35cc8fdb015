// Workloads with serving pods: how many of these are ready, and how many leave anyway. The basis of
// the workload guard (DIS-761).
//
// A workload is a Deployment as a whole, or else the controller of the pods, by UID. DaemonSets and
// Jobs are not workloads here: their pods do not replace each other.
#pragma once

#include "base/map.h"
#include "engine/problem/problem.h"

struct guarded_workload {
    const char *name;  // for messages
    uint32_t index;    // in the guard's counts
    uint32_t replicas; // pods that have not terminated, whatever their state
    uint32_t ready;
    uint32_t leaving; // ready ones on nodes that go anyway, wherever they will be rescheduled
};

// The workloads of one decision.
struct workload_table {
    struct arena *arena;
    struct map *workloads; // by key
    // By running pod; NULL: it does not serve, or has no workload.
    struct guarded_workload **serving;
};
// `going`: nodes that go anyway, by index of the problem's nodes. Points into `arena`; destroy the
// table first.
struct workload_table *workload_table_create(const struct problem *problem, struct bitset going,
                                             struct arena *arena);
void workload_table_destroy(struct workload_table *table); // NULL is fine
