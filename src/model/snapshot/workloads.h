// FMT-2: workloads without pods become pods, so that a manifest can be planned before it is
// applied.
#pragma once

#include "model/snapshot/snapshot.h"

#define WORKLOAD_PODS_MAX 1000000 // of all workloads of a snapshot

// Namespaces and uids (FMT-4) must be there already.
bool workloads_expand(struct snapshot *snapshot, struct error *error) MUST_USE;
// The uid of an object that has none (FMT-4), in arena memory.
const char *derived_uid(struct arena *arena, const char *kind, const char *namespace,
                        const char *name);
