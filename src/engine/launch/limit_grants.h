// The types of a plan's claims within the limits of their NodePools (SCH-365, SCH-519). Pure: the
// caller computes the remaining limits.
#pragma once

#include "model/snapshot/plan.h"

#define CLAIM_TYPES_MAX 600 // SCH-384

// The types of a claim: the plan's `types`, cut and narrowed to the remaining limits of its
// NodePool. Empty: the claim must not be created.
struct claim_types {
    LIST(const struct instance_type *) types; // sorted by price
};

struct limit_room { // the remaining limits of one NodePool
    const struct node_pool *pool;
    int64_t *left; // one number a limit, in order; negative if exceeded
};
// How much a machine of that capacity uses of the limit; 1 of "nodes".
int64_t limit_amount(const struct resource_map *capacity, const char *resource);

// One entry for each claim of the plan, in order; in `arena`. `rooms`: by claim, that of its
// NodePool; claims of one pool share it. Uses the rooms up. Every claim first gets its cheapest
// type, in order. The rest of the limits widens the claims, so that the largest types of all claims
// together stay within the limits.
struct claim_types *limit_grants(struct arena *arena, const struct plan *plan,
                                 struct limit_room *const *rooms);
