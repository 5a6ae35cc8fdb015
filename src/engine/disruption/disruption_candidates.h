// The candidates of a method, with what the budgets leave for its reason.
#pragma once

#include "engine/disruption/disruption.h"

// The candidates by one reason's budgets (DIS-15); `eventual`: DIS-34.
struct candidate_table disruption_candidates(struct disruption *disruption,
                                             enum disruption_reason reason, bool eventual);
// Notes a method's turn and, if it has candidates, what the budgets leave them (DIS-15); reports
// pools that allow nothing (DIS-129). Before the method takes from the budgets.
void disruption_turn(struct disruption *disruption, enum disruption_method method,
                     enum disruption_reason reason, uint32_t eligible);
