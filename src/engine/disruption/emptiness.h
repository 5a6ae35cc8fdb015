// Emptiness (DIS-140 to DIS-146): removes nodes without pods that need another place, within the
// budgets. Pure.
#pragma once

#include "engine/disruption/revalidate.h"

struct disruption;
// The method: one command for all nodes that may go.
void emptiness_decide(struct disruption *disruption);

// Emptiness alone, cheap enough to run often: the choice is the method's, but the snapshot is only
// compiled to a problem if the candidates do not suffice. The plan has one command a node
// (DIS-732), without moves, and one turn. Its notes are events: why eligible nodes stay (DIS-772),
// and budgets that allow nothing (DIS-129). Points into the snapshot; free with plan_destroy().
//
// `busy`: names of Nodes in running commands. `checks`: commands of emptiness to
// validate (DIS-262); they are charged to the budgets first and receive the results.
struct plan *emptiness_plan(const struct snapshot *snapshot, const struct string_list *busy,
                            struct command_check *checks, uint32_t count);
