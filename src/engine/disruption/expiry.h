// Replaces nodes before they expire (DIS-762). Their pods are packed together, replacements come
// first, and budgets, PodDisruptionBudgets and do-not-disrupt hold as for drift. A node that
// remains at its deadline still expires by force (LIF-150).
//
// If the budget allows n nodes at once, the nodes of a NodePool, sorted by deadline, go in rounds
// of n: round k may start k leads before the deadline, but at most a tenth of expireAfter early.
// The lead is the time to boot a machine and to drain a node. Budgets for Drifted apply because
// reasons are fixed (DIS-3). Static NodePools are exempt: their nodes are replaced anyway.
#pragma once

#include "model/schema/karpenter.h"
#include "model/snapshot/snapshot.h"

#include "engine/disruption/candidates.h"

// When the NodeClaim expires, nanoseconds since the epoch; INT64_MAX: never.
int64_t expiry_deadline(const struct node_claim *claim);
// The start of the window for early replacement: a tenth of expireAfter before the deadline.
int64_t expiry_window_start(const struct node_claim *claim);
// True if the window is open at `now`.
bool expiry_is_near(const struct node_claim *claim, int64_t now);
// The method, in adze's own order of methods.
struct disruption;
void expiry_decide(struct disruption *disruption);
