// FMT-2: expands workloads without pods into pods, so that a manifest can be planned before it is
// applied.
#pragma once

#include "model/snapshot/snapshot.h"

#define WORKLOAD_PODS_MAX 1000000 // of all workloads of a snapshot

// Namespaces and uids (FMT-4) must be set already.
bool workloads_expand(struct snapshot *snapshot, struct error *error) MUST_USE;
// Adds pods of the Deployment, ReplicaSet, StatefulSet or Job, under the next free numbers.
bool workload_add_pods(struct snapshot *snapshot, const struct object *object, int64_t count,
                       struct error *error) MUST_USE;
// How many pods the workload is to have.
int64_t workload_pods_wanted(const struct object *object);
// The derived uid of an object without one (FMT-4), in arena memory.
const char *derived_uid(struct arena *arena, const char *kind, const char *namespace,
                        const char *name);
