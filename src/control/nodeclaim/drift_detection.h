// Drift of a NodeClaim (DIS-72 to DIS-77): its NodePool's template or requirements have changed,
// its machine's type is no longer offered, or the provider reports drift.
#pragma once

#include "control/runtime/control.h"

struct drift_detection;
struct drift_detection *drift_detection_create(struct control *control);
void drift_detection_destroy(struct drift_detection *drift); // NULL is fine

// The reason, NULL if there is none. False with *error if the instance types cannot be read.
// `labels`: those of the NodeClaim.
bool drift_detection_find(struct drift_detection *drift, const struct node_claim *claim,
                          const struct node_pool *pool, const char **reason,
                          struct error *error) MUST_USE;
