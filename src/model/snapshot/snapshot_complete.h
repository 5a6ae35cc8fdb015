// Completes a snapshot read from manifests: an API server's defaults and admission, and pods of
// workloads that have none.
#pragma once

#include "model/snapshot/snapshot.h"

// Duplicate objects are merged: the later one wins, as if both had been applied in this order.
void snapshot_merge_duplicates(struct snapshot *snapshot);
// FMT-2 (workloads without pods become pods), FMT-4 (namespaces, uids). Call once after reading.
bool snapshot_complete(struct snapshot *snapshot, struct error *error) MUST_USE;
