// Node lifecycle (Kubernetes: Nodes; Taints and Tolerations; Node Conditions; Pod Garbage
// Collection): missed heartbeats make a node unreachable, conditions become taints, NoExecute
// taints evict. Nodes without a machine are deleted (as a cloud controller manager does), and so
// are pods without a Node.
#pragma once

#include "sim/world/world_internal.h"

struct node_lifecycle *node_lifecycle_create(struct world *world);
void node_lifecycle_destroy(struct node_lifecycle *node_lifecycle);
// Handlers of the world's cache (world_change).
void node_lifecycle_leave(void *node_lifecycle, struct world_object *object);
void node_lifecycle_enter(void *node_lifecycle, struct world_object *object);
