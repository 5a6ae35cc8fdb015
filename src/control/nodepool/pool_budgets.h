// The condition BudgetsQuestionable of NodePools (DIS-777): what `adze validate` would say of their
// disruption budgets, for those who never ran it. Nobody decides by it.
#pragma once

#include "control/runtime/control.h"

struct conditions;
// Sets or clears the NodePool's condition BudgetsQuestionable (DIS-777): which of its disruption
// budgets are hardly meant as they are, what they do, and when next. Answers in how long the text
// will be another; INT64_MAX: as long as the NodePool is the same.
int64_t pool_budgets_check(const struct node_pool *pool, struct conditions *conditions,
                           int64_t now);
