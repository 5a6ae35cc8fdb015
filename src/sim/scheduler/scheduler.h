// The simulated kube-scheduler: a queue by priority and age, one pod a cycle, with the filters and
// scores of scheduler_filters.h. No preemption.
//
// A pod that fits nowhere gets the condition PodScheduled=False (Unschedulable) and an event, and
// waits with a growing back-off until a change could help it. A pod whose claims wait for their
// first consumer keeps its room on the chosen node until the volumes are bound.
#pragma once

#include "sim/world/world_internal.h"

struct scheduler *scheduler_create(struct world *world);
void scheduler_destroy(struct scheduler *scheduler);
// Handlers of the world's cache (world_change).
void scheduler_leave(void *scheduler, struct world_object *object);
void scheduler_enter(void *scheduler, struct world_object *object);
