// Node lifecycle (Kubernetes: Nodes; Taints and Tolerations; Node Conditions; Pod Garbage
// Collection): missed heartbeats make a node unreachable, conditions become taints, NoExecute
// taints evict, Nodes of machines that are gone are deleted (as a cloud controller manager does),
// and so are the pods of Nodes that are gone.
#pragma once

#include "sim/world/world_internal.h"

struct node_lifecycle *node_lifecycle_create(struct world *world);
void node_lifecycle_destroy(struct node_lifecycle *node_lifecycle);
// The world's cache tells (world_change).
void node_lifecycle_leave(void *node_lifecycle, struct world_object *object);
void node_lifecycle_enter(void *node_lifecycle, struct world_object *object);
