// Copies of NodeClaims with other conditions, for snapshots of a forecast.
#pragma once

#include "model/schema/condition_types.h"
#include "model/schema/karpenter.h"

struct snapshot;

// A condition that is to be True, or to be gone.
struct condition_edit {
    enum condition_type type;
    bool present;
    const char *reason;
};
// Puts a copy of the NodeClaim in its place (index of the list of NodeClaims) with these
// conditions; those that are there keep their time.
void claim_conditions_edit(struct snapshot *snapshot, uint32_t index,
                           const struct condition_edit *edits, uint32_t count);
// The NodeClaim rests since consolidateAfter of its NodePool: it counts as consolidatable.
void claim_conditions_rest(struct snapshot *snapshot, uint32_t index, const struct node_pool *pool);
