// State shared by the workload controllers.
#pragma once

#include "sim/world/world_internal.h"

struct workloads {
    struct world *world;
    struct work_queue *deployments, *replica_sets, *stateful_sets, *daemon_sets, *daemon_nodes,
        *jobs, *cron_jobs, *autoscalers, *endpoints;
    struct request_rate *set_rate, *stateful_rate, *job_rate; // the rates of their clients
    struct map *batches;            // by uid of the owner: pods under creation (pod_batches.h)
    struct map *daemon_pods;        // "daemon set uid/node name" -> struct daemon_pods *
    struct map *daemon_generations; // daemon set uid -> generation whose nodes are synced
};
