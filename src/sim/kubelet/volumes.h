// Persistent volumes (Kubernetes: Persistent Volumes; Storage Classes; Ephemeral Volumes): claims
// of ephemeral volumes, binding to existing volumes, provisioning, attachment and detachment,
// reclaiming.
//
// Simple on purpose: no protection finalizers, no capacity accounting, and every CSI driver
// attaches.
#pragma once

#include "sim/world/world_internal.h"

struct volumes *volumes_create(struct world *world);
void volumes_destroy(struct volumes *volumes);
// Handlers of the world's cache (world_change).
void volumes_leave(void *volumes, struct world_object *object);
void volumes_enter(void *volumes, struct world_object *object);

// Whether every volume of the pod that needs attachment is attached to its node.
bool volumes_attached(const struct volumes *volumes, const struct world_object *pod);
