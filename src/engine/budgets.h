// Disruption budgets of a NodePool (DIS-110 to DIS-122): how many of its nodes may be disrupted at
// once.
#pragma once

#include "model/karpenter.h"

#define BUDGET_UNLIMITED INT64_C(2147483647)

// Allowed disruptions for `reason` ("Empty", "Drifted", "Underutilized") of a pool of `total` nodes
// at `now`. A budget that cannot be read makes it 0 for every reason (DIS-121) and fills *error.
bool budgets_allowed(const struct node_pool *pool, const char *reason, int64_t total, int64_t now,
                     int64_t *allowed, struct error *error);
