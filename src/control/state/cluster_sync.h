// When the cluster state is complete enough for decisions.
#pragma once

#include "control/state/cluster.h"

// Ready for decisions: every kind was listed, and at the start NodeClaims that a predecessor left
// unlaunched were given 30 s to launch (whose pods they were made for is not known any more). Once
// true it stays true: an unlaunched NodeClaim stops nobody (LIF-454).
bool cluster_synced(struct cluster *cluster);
