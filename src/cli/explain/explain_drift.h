// Drift of one node, by the fields that differ (DIS-74, DIS-75).
#pragma once

#include <jansson.h>

#include "model/snapshot/snapshot.h"

// Prints why the NodeClaim of the Node has drifted, or would be found drifted; nothing otherwise.
void explain_drift_print(const struct snapshot *snapshot, const char *node);
// Sets "drift" in the object: the reason, and the fields with both values.
void explain_drift_encode(json_t *json, const struct snapshot *snapshot, const char *node);
