// Whether the cluster state is complete enough for decisions.
#pragma once

#include "control/state/cluster.h"

// Every kind was listed, and unlaunched NodeClaims of a predecessor had 30 s to launch, since their
// pods are not known any more. Once true it stays true: a NodeClaim that does not launch blocks
// nothing (LIF-454).
bool cluster_synced(struct cluster *cluster);
