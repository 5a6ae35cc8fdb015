// Completes a snapshot that was read from manifests: defaults and admission of an API server, and
// pods of workloads that have none.
#pragma once

#include "model/snapshot/snapshot.h"

// An object that was read twice counts once: the later one, as if both had been applied in this
// order.
void snapshot_merge_duplicates(struct snapshot *snapshot);
// FMT-2 (workloads without pods become pods), FMT-4 (namespaces, uids). Call once after reading.
bool snapshot_complete(struct snapshot *snapshot, struct error *error) MUST_USE;
