// Why each node stays (DIS-770): one blocked reason for every state node and every NodeClaim
// without a machine that has no command. It has the deciding rule, the blocking object and its
// numbers.
//
// Methods record reasons with disruption_note_blocked(). blocked_reasons_finish() adds reasons that
// follow from the snapshot or the budgets alone. Rules are always counted; texts are made on
// request (plan_options.verdicts).
//
// Unnamed rules of DIS-32 read "DIS-32 #5".
#pragma once

#include "engine/disruption/disruption.h"

// Fills plan->verdict_counts and, if requested, plan->verdicts. `methods`: the set of methods that
// ran, not empty.
void blocked_reasons_finish(struct disruption *disruption, uint32_t methods);
