// Static deprovisioning (LIF-233, LIF-234): the order in which NodeClaims of a static NodePool go
// when it has more than `replicas`. Ignores budgets and PDBs; the drain honors PDBs. Pure.
#pragma once

#include "model/schema/core.h"
#include "model/schema/karpenter.h"

enum static_rank {
    STATIC_ASKED, // its deletion has been requested but is not observed yet
    STATIC_UNLAUNCHED,
    STATIC_EMPTY,
    STATIC_USED,
    STATIC_PROTECTED, // by do-not-disrupt
};
struct static_candidate {
    const struct node_claim *claim;
    enum static_rank rank;
    double cost; // disruption cost of its pods, times its remaining share of life
};
struct static_candidate static_candidate_unlaunched(const struct node_claim *claim);
// `pods`: those bound to the Node of a launched NodeClaim. `now`: wall clock.
struct static_candidate static_candidate_of(const struct node_claim *claim,
                                            const struct pod *const *pods, uint32_t count,
                                            int64_t now);
// By rank, then cost, then youngest, then name; the first ones go.
void static_candidates_sort(struct static_candidate *candidates, uint32_t count);
