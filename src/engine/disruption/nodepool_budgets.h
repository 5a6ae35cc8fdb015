// Disruption budgets of a NodePool (DIS-110 to DIS-122): how many of its nodes may be disrupted at
// once. A single budget is read by model/reading/budget_windows.h.
#pragma once

#include "model/reading/budget_windows.h"

// Allowed disruptions for `reason` of a pool of `total` nodes
// at `now`. A budget that cannot be read makes it 0 for every reason (DIS-121) and fills *error.
bool nodepool_budgets_allowed(const struct node_pool *pool, enum disruption_reason reason,
                              int64_t total, int64_t now, int64_t *allowed, struct error *error);
// The next instant after `now` at which a budget of the pool begins or ceases to count, so that
// what is allowed may be another number (DIS-705); nanoseconds since the epoch. INT64_MAX: none
// ever does; so too while a budget that cannot be read forbids everything.
int64_t nodepool_budgets_next_change(const struct node_pool *pool, int64_t now);
// The budget that decides: the index of the one that allows least of `total` nodes now, the first
// of several; of one that cannot be read, which decides for all (DIS-121); UINT32_MAX if none
// counts.
uint32_t nodepool_budgets_deciding(const struct node_pool *pool, enum disruption_reason reason,
                                   int64_t total, int64_t now);
