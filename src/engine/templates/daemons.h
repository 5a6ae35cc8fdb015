// The DaemonSet half of templates.h.
#pragma once

#include "engine/problem/problem.h"

struct daemon { // one DaemonSet's representative pod
    const struct daemon_set *daemon_set;
    uint32_t tolerations;    // with one for every PreferNoSchedule taint (SCH-143)
    struct node_term *terms; // node selector and one required term each; hostname kept in `full`
    uint32_t *full;          // the same with the hostname
    uint32_t terms_count;    // 0: no node
    const int64_t *requests;
    struct host_ports ports;
};

// Before any vector is made: the resources that DaemonSets name, and the labels they ask for.
void templates_add_daemon_dimensions(struct problem *problem);
// The DaemonSets of the snapshot, compiled; by namespace/name.
const struct daemon *daemons_compile(struct problem *problem, uint32_t *count);
// SCH-147: the daemon would run on a node with these labels and taints.
bool daemon_runs_on(struct problem *problem, const struct daemon *daemon, uint32_t labels,
                    uint32_t hostname, uint32_t taints);
