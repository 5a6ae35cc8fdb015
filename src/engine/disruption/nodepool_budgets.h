// Disruption budgets of a NodePool (DIS-110 to DIS-122): how many of its nodes may be disrupted at
// once. A single budget is read by model/reading/budget_windows.h.
#pragma once

#include "model/reading/budget_windows.h"

// The allowed disruptions for `reason` in a pool of `total` nodes at `now`. An unreadable budget
// allows 0 for every reason (DIS-121) and fills *error.
bool nodepool_budgets_allowed(const struct node_pool *pool, enum disruption_reason reason,
                              int64_t total, int64_t now, int64_t *allowed, struct error *error);
// The next instant after `now` at which a budget of the pool starts or stops to apply, so that the
// allowed number may change (DIS-705); nanoseconds since the epoch. INT64_MAX: never, or an
// unreadable budget forbids everything.
int64_t nodepool_budgets_next_change(const struct node_pool *pool, int64_t now);
// The index of the deciding budget: the one that allows least of `total` nodes now, the first of
// equals. An unreadable budget decides for all (DIS-121). UINT32_MAX: no budget applies.
uint32_t nodepool_budgets_deciding(const struct node_pool *pool, enum disruption_reason reason,
                                   int64_t total, int64_t now);
