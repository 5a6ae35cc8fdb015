// The snapshot of a decision, from the mirror (SCH-20, FMT-9): only references, except for copies
// of the heads of planned objects (snapshot_planned.h).
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/snapshot.h"

struct capacity_buffers;
struct commands;
struct cpu_use;
struct launch_backoff;
struct workload_bursts;

struct snapshot_sources { // all borrowed
    struct control *control;
    const struct commands *commands;
    struct launch_backoff *launch_backoff;
    struct capacity_buffers *buffers; // NULL: no gate
    struct workload_bursts *bursts;   // NULL: as upstream, decisions ignore workloads
    const struct cpu_use *cpu_use;
};

// Never NULL. Planned pods are not pending (cluster.h). `errors` gets a line for each NodePool
// whose instance types cannot be read.
struct snapshot *snapshot_build(const struct snapshot_sources *sources, struct text *errors);

// SCH-23 (1. to 3.): a node that is marked for deletion still has pods to place.
bool deleting_nodes_have_pods(const struct control *control);

// The instance types are those of an earlier snapshot: the same objects.
bool snapshot_has_catalogs(const struct snapshot *snapshot, const struct snapshot_sources *sources);
