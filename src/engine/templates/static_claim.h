// The NodeClaim of a static NodePool (LIF-232, DIS-220): what its template alone says. No pod asked
// for it, so there are neither instance types nor requests; the provider chooses among all types
// that the template's requirements allow.
#pragma once

#include "model/reading/settings.h"
#include "model/snapshot/plan.h"

// node_pool, requirements, labels and annotations of `out`; in `arena` or the NodePool's own. The
// catalog (NULL is fine) tells which labels are the provider's to give.
void static_claim_make(struct arena *arena, const struct settings *settings,
                       const struct instance_type_catalog *catalog, const struct node_pool *pool,
                       struct plan_claim *out);
