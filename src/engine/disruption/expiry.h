// Nodes that are about to expire go before they must (DIS-762): their pods are packed together,
// replacements come first, and budgets, PodDisruptionBudgets and do-not-disrupt are respected, as
// for drift. A node that is left at its deadline expires by force all the same (LIF-150).
//
// The i-th of a NodePool's nodes to expire may go as many leads before its deadline as it takes the
// budget to let i nodes go, but no sooner than a tenth of expireAfter before. The lead is what it
// takes to boot a machine and to drain a node. Budgets for Drifted apply, for reasons are fixed
// (DIS-3). Static NodePools are not concerned: their nodes have replacements anyway.
#pragma once

#include "model/schema/karpenter.h"
#include "model/snapshot/snapshot.h"

#include "engine/disruption/candidates.h"

// When the NodeClaim expires, nanoseconds since the epoch; INT64_MAX: never.
int64_t expiry_deadline(const struct node_claim *claim);
// From when on it may go for that: a tenth of expireAfter earlier.
int64_t expiry_window_start(const struct node_claim *claim);
// It may be disrupted for its expiry now, as far as the clock goes.
bool expiry_is_near(const struct node_claim *claim, int64_t now);
// The method, as part of adze's own order.
struct disruption;
void expiry_decide(struct disruption *disruption);
