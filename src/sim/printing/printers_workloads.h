// Columns of pods, nodes and the workload kinds.
#pragma once

#include "sim/printing/cells.h"

extern const struct printer printers_pods[], printers_nodes[], printers_deployments[],
    printers_replica_sets[], printers_daemon_sets[], printers_stateful_sets[], printers_jobs[],
    printers_cron_jobs[];
