// A lower bound of the price of pods on new machines, NODE_COST included. It needs no simulation
// and tells where to search first (DIS-745) and where not to search.
#pragma once

#include "engine/disruption/disruption.h"
#include "engine/placement/pass.h"
#include "engine/requirements/memo.h"

struct price_bound {
    struct disruption *disruption;
    struct arena *arena;
    struct memo known; // (requirements, tolerations) -> index into `prices`
    VECTOR(const double *)
    prices; // nano-USD an hour of one unit, by dimension: the lowest of all machines; negative: no
            // machine has it
};
// Lives as long as `arena`; the caller frees the rest.
struct price_bound price_bound_create(struct disruption *disruption, struct arena *arena);
void price_bound_free(struct price_bound *bound);
// For the candidate's pods that would move, nano-USD an hour; INT64_MAX: no machine has what they
// request.
int64_t price_bound_of(struct price_bound *bound, const struct disruption_candidate *candidate);
// For the pods on the claims of the pass.
int64_t price_bound_of_claims(struct price_bound *bound, const struct pass *pass,
                              struct claim *const *claims, uint32_t count);
