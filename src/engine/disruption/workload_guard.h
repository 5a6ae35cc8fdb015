// No workload loses all its ready replicas at once (DIS-761; setting WORKLOAD_GUARD): of one that
// has several, one stays ready on a node that stays; the last one's node goes only when another is
// ready elsewhere. A node that alone holds all of them may go by itself, for else it never could:
// the drain then keeps the last until another is ready.
#pragma once

#include "engine/disruption/disruption.h"

struct workload_guard;
// Pods of nodes that are going anyway are counted already. Lives as long as the decision.
struct workload_guard *workload_guard_create(struct disruption *disruption);
// Adds the candidate to the nodes that go, or refuses and says so in the blocked reason about it.
bool workload_guard_take(struct workload_guard *guard,
                         const struct disruption_candidate *candidate);
void workload_guard_give_back(struct workload_guard *guard,
                              const struct disruption_candidate *candidate);
