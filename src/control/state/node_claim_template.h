// The NodeClaim object of a planned claim (SCH-376 to SCH-384).
#pragma once

#include "control/runtime/control.h"
#include "engine/launch/limit_grants.h"

// The body of the create call. The caller has chosen `name`. A claim without `types` belongs to a
// static pool (LIF-232): its requirements stay unchanged, and it requests nothing.
json_t *node_claim_body(struct control *control, const struct plan_claim *claim,
                        const struct claim_types *types, const char *name);
// "a, b, c, d, e and 7 other(s)": names in alphabetical order.
void describe_types(const struct claim_types *types, struct text *out);
