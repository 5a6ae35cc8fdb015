// The snapshot of a decision, from the mirror (SCH-20, FMT-9): references only, nothing is copied
// but the heads of what is on its way (snapshot_planned.h).
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/snapshot.h"

struct capacity_buffers;
struct commands;
struct launch_backoff;
struct workload_bursts;

struct snapshot_sources { // all borrowed
    struct control *control;
    const struct commands *commands;
    struct launch_backoff *launch_backoff;
    struct capacity_buffers *buffers; // NULL: no gate
    struct workload_bursts *bursts;   // NULL: as upstream, decisions know nothing of workloads
};

// Never NULL. Pods that are spoken for are not pending (cluster.h). `errors` receives, for each
// NodePool whose instance types cannot be read, one line.
struct snapshot *snapshot_build(const struct snapshot_sources *sources, struct text *errors);

// SCH-23 (1. to 3.): whether some node that is marked for deletion still has pods to be placed.
bool deleting_nodes_have_pods(const struct control *control);

// Whether the instance types are still those of an earlier snapshot: the same objects.
bool snapshot_has_catalogs(const struct snapshot *snapshot, const struct snapshot_sources *sources);
