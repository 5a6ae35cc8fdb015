// Static deprovisioning (LIF-233, LIF-234): which NodeClaims of a static NodePool go first when it
// has more than `replicas`. Neither budgets nor PDBs are asked; the drain honors PDBs. Pure.
#pragma once

#include "model/schema/core.h"
#include "model/schema/karpenter.h"

enum static_rank {
    STATIC_ASKED, // its deletion was asked for, and has not been seen yet
    STATIC_UNLAUNCHED,
    STATIC_EMPTY,
    STATIC_USED,
    STATIC_PROTECTED, // by do-not-disrupt
};
struct static_candidate {
    const struct node_claim *claim;
    enum static_rank rank;
    double cost; // of moving its pods, times what is left of its life
};
struct static_candidate static_candidate_unlaunched(const struct node_claim *claim);
// `pods`: those bound to the Node of a launched NodeClaim. `now`: wall clock.
struct static_candidate static_candidate_of(const struct node_claim *claim,
                                            const struct pod *const *pods, uint32_t count,
                                            int64_t now);
// By rank, then cost, then the youngest, then the name; the first go.
void static_candidates_sort(struct static_candidate *candidates, uint32_t count);
