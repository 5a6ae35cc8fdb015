// The DaemonSet half of templates.h.
#pragma once

#include "engine/templates/templates.h"

// Before any vector is made: the resources that DaemonSets name, and the labels they ask for.
void templates_add_daemon_dimensions(struct problem *problem);
// The DaemonSets of the snapshot, compiled; by namespace/name.
const struct daemon *daemons_compile(struct problem *problem, uint32_t *count);
// SCH-147: the daemon would run on a node with these labels and taints.
bool daemon_runs_on(struct problem *problem, const struct daemon *daemon, uint32_t labels,
                    uint32_t hostname, uint32_t taints);
