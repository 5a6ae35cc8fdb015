// Compiled DaemonSets; the other half of templates.h.
#pragma once

#include "engine/problem/problem.h"

struct daemon { // one DaemonSet's representative pod
    const struct daemon_set *daemon_set;
    uint32_t tolerations; // with an added toleration of every PreferNoSchedule taint (SCH-143)
    // Each the node selector and one required term; `full` keeps the hostname.
    struct node_term *terms;
    uint32_t *full;       // the same with the hostname
    uint32_t terms_count; // 0: runs on no node
    const int64_t *requests;
    struct host_ports ports;
};

// Adds the resources and marks the labels that DaemonSets ask for. Call before any vector is made.
void templates_add_daemon_dimensions(struct problem *problem);
// The snapshot's DaemonSets, compiled, by namespace/name.
const struct daemon *daemons_compile(struct problem *problem, uint32_t *count);
// SCH-147: the daemon runs on a node with these labels and taints.
bool daemon_runs_on(struct problem *problem, const struct daemon *daemon, uint32_t labels,
                    uint32_t hostname, uint32_t taints);
