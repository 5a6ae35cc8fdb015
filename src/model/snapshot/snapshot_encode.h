// A snapshot as JSON, to be read back with snapshot_read.h.
#pragma once

#include <jansson.h>

#include "model/snapshot/snapshot.h"

// The snapshot as one JSON List that snapshot_read() reads back, SnapshotContext included.
json_t *snapshot_encode(const struct snapshot *snapshot);
