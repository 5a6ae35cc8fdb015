// The cost of each NodePool's nodes (LIF-321): nodepools_cost_total, the sum of their offerings'
// prices in USD an hour, computed at the scrape. An offering that is not in the catalog adds
// nothing; it is logged and counted once.
// adze_nodepools_idle_dollars_per_hour is the part of it for room that no pod requests.
#pragma once

#include "control/runtime/control.h"

struct pool_cost *pool_cost_create(struct control *control); // LIF-321; NULL if switched off
void pool_cost_destroy(struct pool_cost *cost);
