// Emptiness (DIS-140 to DIS-146): nodes without pods that would need another place, as far as the
// budgets go. Pure.
#pragma once

#include "engine/disruption/revalidate.h"

struct disruption;
// The method: one command for all that may go.
void emptiness_decide(struct disruption *disruption);

// Emptiness alone, for a controller that asks often: the choice is that of the method, but no
// problem is made of the snapshot where its candidates suffice. The plan has one command a node
// (DIS-732), without moves, and one turn; its notes are events: what keeps nodes that a method
// wants (DIS-772), and budgets that allow nothing (DIS-129). Points into the snapshot; for
// plan_destroy().
//
// `busy`: names of Nodes in running commands. `checks`: commands of emptiness that are due
// (DIS-262), which take from the budgets before all others, and get their answers.
struct plan *emptiness_plan(const struct snapshot *snapshot, const struct string_list *busy,
                            struct command_check *checks, uint32_t count);
