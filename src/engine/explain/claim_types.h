// The instance types of a planned claim, and its price (FMT-11).
//
// A launch takes the cheapest of the types by the list. So types that look cheaper than the claim's
// best one by effective prices (effective_price.h), but cost more with the claim's pods on them,
// are left out: burstable types, above all. minValues keep them.
#pragma once

#include "engine/pass/pass_state.h"

// Fills `types`, which has room for all rows of the claim, by the list prices that `set` leaves,
// ties by name; types without a price are left out. *costs: of the first one. Returns their number.
uint32_t claim_types_list(struct problem *problem, const struct claim *claim, uint32_t set,
                          struct plan_type *types, struct plan_costs *costs);
// The costs of the cheapest such type that the claim's own requirements leave; unchanged if none
// has a price.
void claim_types_price(struct problem *problem, const struct claim *claim, uint32_t set,
                       struct plan_costs *costs);
