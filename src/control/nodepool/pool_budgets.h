// The condition BudgetsQuestionable of NodePools (DIS-777): the findings of `adze validate` on
// their disruption budgets. No decision depends on it.
#pragma once

#include "control/runtime/control.h"

struct conditions;
// Sets or clears the NodePool's condition BudgetsQuestionable (DIS-777): the budgets that are
// probably mistaken, their effect, and their next window. Returns the time until the text changes;
// INT64_MAX: only with the NodePool.
int64_t pool_budgets_check(const struct node_pool *pool, struct conditions *conditions,
                           int64_t now);
