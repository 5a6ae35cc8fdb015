// consolidateAfter (DIS-83 to DIS-88): the time without pod changes after which a node counts as
// consolidatable.
#pragma once

#include "model/schema/karpenter.h"

struct conditions;
// Sets or clears Consolidatable (DIS-83 to DIS-86); returns the time until the next check,
// INT64_MAX for never. `quiet`: the node counts as quiet before consolidateAfter has elapsed
// (DIS-719).
int64_t claim_consolidatable(struct conditions *conditions, const struct node_claim *claim,
                             const struct node_pool *pool, int64_t now, bool quiet);
// DIS-85: the last pod change of the NodeClaim's node; nanoseconds since the epoch.
int64_t claim_quiet_since(struct conditions *conditions, const struct node_claim *claim);
// consolidateAfter is neither absent, nor Never, nor 0.
bool pool_waits_for_quiet(const struct node_pool *pool);
