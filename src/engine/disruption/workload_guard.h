// The workload guard: no workload loses all ready replicas at once (DIS-761; setting
// WORKLOAD_GUARD). If it has several, one stays ready on a node that stays; the last one's node
// goes only when another replica is ready elsewhere. A node that has all of them may go alone,
// because otherwise it never could; the drain then keeps the last pod until another is ready.
#pragma once

#include "engine/disruption/disruption.h"

struct workload_guard;
// Counts pods of nodes that go anyway from the start. Lives as long as the decision.
struct workload_guard *workload_guard_create(struct disruption *disruption);
// Adds the candidate to the nodes that go, or refuses it and records the blocked reason.
bool workload_guard_take(struct workload_guard *guard,
                         const struct disruption_candidate *candidate);
void workload_guard_give_back(struct workload_guard *guard,
                              const struct disruption_candidate *candidate);
