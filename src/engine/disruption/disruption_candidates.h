// The candidates of a method, within its reason's budgets.
#pragma once

#include "engine/disruption/disruption.h"

// The candidates under one reason's budgets (DIS-15); `eventual`: DIS-34.
struct candidate_table disruption_candidates(struct disruption *disruption,
                                             enum disruption_reason reason, bool eventual);
// Records the method's turn and, if it has candidates, what the budgets leave (DIS-15). Reports
// pools that allow nothing (DIS-129). Call before the method uses the budgets.
void disruption_turn(struct disruption *disruption, enum disruption_method method,
                     enum disruption_reason reason, uint32_t eligible);
// Parts of disruption_turn(), for a plan without a problem. DIS-129: the event for a pool that
// allows nothing; NULL: it allows something.
void disruption_add_turn(struct plan *plan, const struct candidate_table *table,
                         enum disruption_method method, enum disruption_reason reason,
                         uint32_t eligible);
const char *disruption_budget_note(struct arena *arena, const struct disruption_pool *pool,
                                   enum disruption_reason reason);
