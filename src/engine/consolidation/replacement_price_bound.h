// The least that pods cost on new machines, NODE_COST included: a bound that needs no simulation,
// for choosing where to look first (DIS-745) and where not to look at all.
#pragma once

#include "engine/disruption/disruption.h"
#include "engine/placement/pass.h"
#include "engine/requirements/memo.h"

struct price_bound {
    struct disruption *disruption;
    struct arena *arena;
    struct memo known; // (requirements, tolerations) -> index into `prices`
    VECTOR(const double *)
    prices; // nano-USD an hour of one unit, by dimension: the lowest of
            // all machines; negative: no machine has any
};
// Lives as long as `arena`; the caller frees the rest.
struct price_bound price_bound_create(struct disruption *disruption, struct arena *arena);
void price_bound_free(struct price_bound *bound);
// Of the pods that would have to move from the candidate, nano-USD an hour; INT64_MAX: no machine
// has what they need.
int64_t price_bound_of(struct price_bound *bound, const struct disruption_candidate *candidate);
// Of the pods that the claims carry in the pass.
int64_t price_bound_of_claims(struct price_bound *bound, const struct pass *pass,
                              struct claim *const *claims, uint32_t count);
