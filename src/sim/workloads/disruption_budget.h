// Status of PodDisruptionBudgets (Kubernetes: Specifying a Disruption Budget). Each budget keeps
// running counts of its pods, so a change of one pod costs only its match.
#pragma once

#include "sim/world/world_internal.h"

struct budgets *budgets_create(struct world *world);
void budgets_destroy(struct budgets *budgets);
// Handlers of the world's cache (world_change).
void budgets_leave(void *budgets, struct world_object *object);
void budgets_enter(void *budgets, struct world_object *object);
