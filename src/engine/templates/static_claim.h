// The NodeClaim of a static NodePool (LIF-232, DIS-220): its template alone. It serves no
// particular pods, so it has neither instance types nor requests; the provider chooses among all
// types that the template's requirements allow.
#pragma once

#include "model/reading/settings.h"
#include "model/snapshot/plan.h"

// Fills node_pool, requirements, labels and annotations of `out`; they live in `arena` or are the
// NodePool's own. The catalog (or NULL) tells which labels the provider sets.
void static_claim_make(struct arena *arena, const struct settings *settings,
                       const struct instance_type_catalog *catalog, const struct node_pool *pool,
                       struct plan_claim *out);
