// FMT-2: expands workloads without pods into pods, so that a manifest can be planned before it is
// applied.
#pragma once

#include "model/snapshot/snapshot.h"

#define WORKLOAD_PODS_MAX 1000000 // of all workloads of a snapshot

// Namespaces and uids (FMT-4) must be set already.
bool workloads_expand(struct snapshot *snapshot, struct error *error) MUST_USE;
// The derived uid of an object without one (FMT-4), in arena memory.
const char *derived_uid(struct arena *arena, const char *kind, const char *namespace,
                        const char *name);
