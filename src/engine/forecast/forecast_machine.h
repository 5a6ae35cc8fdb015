// New nodes of a forecast: a planned NodeClaim as the cheapest machine that it may become. And pods
// at their new places.
#pragma once

#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

// Adds the Node and its NodeClaim, initialized and ready, to the snapshot.
void forecast_machine_add(struct snapshot *snapshot, const struct plan_claim *claim,
                          const char *name);
// A Node for a NodeClaim that has none yet; false: nothing is known of its machine.
bool forecast_machine_finish(struct snapshot *snapshot, uint32_t claim_index);
// The pod, running and ready on the node; NULL: pending.
void forecast_pod_add(struct snapshot *snapshot, const struct pod *pod, const char *to);
