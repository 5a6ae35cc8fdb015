// The same cluster without the nodes of NodePools: all their pods wait for new ones. A plan for it
// tells what the cluster could cost.
#pragma once

#include "model/snapshot/snapshot.h"

// Pods that come with a node (of DaemonSets, mirror pods) and pods that end are left out. The
// caller destroys it.
struct snapshot *fresh_snapshot_create(const struct snapshot *snapshot);
// The same without the Nodes and NodeClaims of these names.
struct map;
struct snapshot *fresh_snapshot_without(const struct snapshot *snapshot, struct map *gone);
