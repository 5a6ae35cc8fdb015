// Garbage collection by owner references (Kubernetes: Garbage Collection; Owners and Dependents).
//
// An object without any owner left is deleted. An owner with the finalizer foregroundDeletion waits
// for its blocking dependents; with the finalizer orphan its dependents lose their reference to it.
#pragma once

#include "sim/world/world_internal.h"

struct collector *collector_create(struct world *world);
void collector_destroy(struct collector *collector);
// Handlers of the world's cache (world_change).
void collector_leave(void *collector, struct world_object *object);
void collector_enter(void *collector, struct world_object *object);
