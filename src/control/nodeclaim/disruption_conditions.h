// The controller nodeclaim.disruption (DIS-70 to DIS-88): the conditions Drifted and Consolidatable
// of NodeClaims.
#pragma once

#include "control/runtime/control.h"

struct conditions;
struct disruption_conditions *disruption_conditions_create(struct control *control); // DIS-70 ff.
void disruption_conditions_destroy(struct disruption_conditions *conditions);
// Sets or clears Consolidatable (DIS-83 to DIS-86); answers in how long to look again, INT64_MAX
// for never. `quiet`: the node counts as quiet before consolidateAfter has elapsed (DIS-719).
int64_t claim_consolidatable(struct conditions *conditions, const struct node_claim *claim,
                             const struct node_pool *pool, int64_t now, bool quiet);
