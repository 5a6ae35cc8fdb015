// Persistent volumes (Kubernetes: Persistent Volumes; Storage Classes; Ephemeral Volumes): claims
// of ephemeral volumes, binding to volumes that are there, provisioning, attachment and detachment,
// reclaiming.
//
// Simple on purpose: no protection finalizers, no capacity accounting, and every CSI driver
// attaches.
#pragma once

#include "sim/world/world_internal.h"

struct volumes *volumes_create(struct world *world);
void volumes_destroy(struct volumes *volumes);
// The world's cache tells (world_change).
void volumes_leave(void *volumes, struct world_object *object);
void volumes_enter(void *volumes, struct world_object *object);

// Every volume of the pod that has to be attached to its node is.
bool volumes_attached(const struct volumes *volumes, const struct world_object *pod);
