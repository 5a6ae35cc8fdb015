// The types that the claims of a plan may be launched as within the limits of their NodePools
// (SCH-365, SCH-519). Pure: what the limits leave is the caller's to say.
#pragma once

#include "model/snapshot/plan.h"

#define CLAIM_TYPES_MAX 600 // SCH-384

// The types that a claim may be launched as: `types` of the plan, cut and narrowed to what the
// limits of its NodePool leave. Empty: the claim must not be created.
struct claim_types {
    LIST(const struct instance_type *) types; // by price
};

struct limit_room { // what is left of one NodePool's limits
    const struct node_pool *pool;
    int64_t *left; // one number a limit, in their order; negative where it is exceeded
};
// How much a machine of that capacity takes of the limit: one of "nodes".
int64_t limit_amount(const struct resource_map *capacity, const char *resource);

// One entry a claim of the plan, in its order; in `arena`. `rooms`: of each claim's NodePool,
// shared by claims of the same; they are used up. Every claim first gets its cheapest type, in
// order; what is left widens them: the largest machine of each never goes beyond a limit.
struct claim_types *limit_grants(struct arena *arena, const struct plan *plan,
                                 struct limit_room *const *rooms);
