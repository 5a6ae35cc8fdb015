// Why each node stays (DIS-770): one blocked reason about every state node, and about every
// NodeClaim without a machine, that no command has: the rule that decided, with the blocker and its
// numbers.
//
// The methods note the reasons that they find with disruption_note_blocked(); reasons that follow
// from the snapshot alone, or from the budgets, blocked_reasons_finish() adds. Rules are always
// counted; texts are made only on request (plan_options.verdicts).
//
// The rules of DIS-32 that have no name of their own read "DIS-32 #5".
#pragma once

#include "engine/disruption/disruption.h"

// Fills plan->verdict_counts and, if asked for, plan->verdicts. `methods`: the set
// of those that were asked, not empty.
void blocked_reasons_finish(struct disruption *disruption, uint32_t methods);
