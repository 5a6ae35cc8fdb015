// The simulated controller manager. Each part keeps work queues of its own and reads the world's
// cache.
#pragma once

#include "sim/world/world_internal.h"

// Deployment, ReplicaSet, StatefulSet, DaemonSet, Job: see the files of these names.
struct workloads *workloads_create(struct world *world);
void workloads_destroy(struct workloads *workloads);
// Handlers of the world's cache (world_change).
void workloads_leave(void *workloads, struct world_object *object);
void workloads_enter(void *workloads, struct world_object *object);
