// Status of PodDisruptionBudgets (Kubernetes: Specifying a Disruption Budget). Each budget keeps
// running counts of its pods, so that a change of one pod costs no more than matching it.
#pragma once

#include "sim/world/world_internal.h"

struct budgets *budgets_create(struct world *world);
void budgets_destroy(struct budgets *budgets);
// The world's cache tells (world_change).
void budgets_leave(void *budgets, struct world_object *object);
void budgets_enter(void *budgets, struct world_object *object);
