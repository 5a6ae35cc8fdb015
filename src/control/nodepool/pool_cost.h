// What the nodes of each NodePool cost (LIF-321): nodepools_cost_total, the sum of their offerings'
// prices in USD an hour, computed when the registry is written. An offering that the catalog does
// not have counts nothing, is logged and counted once.
#pragma once

#include "control/runtime/control.h"

struct pool_cost *pool_cost_create(struct control *control); // LIF-321; NULL if switched off
void pool_cost_destroy(struct pool_cost *cost);
