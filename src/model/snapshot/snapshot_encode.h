// A snapshot as JSON, for snapshot_read.h.
#pragma once

#include <jansson.h>

#include "model/snapshot/snapshot.h"

// The snapshot as one JSON List for snapshot_read(), including the SnapshotContext.
json_t *snapshot_encode(const struct snapshot *snapshot);
