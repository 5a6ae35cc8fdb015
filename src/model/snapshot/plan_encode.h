// Plans as JSON (FMT-10 to FMT-12).
#pragma once

#include <jansson.h>

#include "model/snapshot/plan.h"

// FMT-10, FMT-12. Prices are JSON numbers: print them with JSON_REAL_PRECISION(15) to keep the
// digits of the catalog. The caller owns the results.
json_t *plan_encode(const struct plan *plan);
// Entries of `newNodeClaims` and `unschedulable`, and a placed pod's explanation.
json_t *plan_claim_encode(const struct plan_claim *claim);
json_t *plan_unschedulable_encode(const struct plan_unschedulable *entry);
// Entries of `disruptions` and of `nodes`, which is present if verdicts were requested.
json_t *plan_disruption_encode(const struct plan_disruption *disruption);
json_t *plan_verdict_encode(const struct plan_verdict *verdict);
