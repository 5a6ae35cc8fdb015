// Garbage collection by owner references (Kubernetes: Garbage Collection; Owners and Dependents).
//
// An object all of whose owners are gone is deleted. An owner with the finalizer foregroundDeletion
// waits for the dependents that block it; with the finalizer orphan its dependents lose their
// reference to it.
#pragma once

#include "sim/world/world_internal.h"

struct collector *collector_create(struct world *world);
void collector_destroy(struct collector *collector);
// The world's cache tells (world_change).
void collector_leave(void *collector, struct world_object *object);
void collector_enter(void *collector, struct world_object *object);
