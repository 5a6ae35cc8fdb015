// Admission on creation: LimitRange defaults and bounds, priority, service account, tolerations,
// RuntimeClass overhead, default storage class; then the initial status of a new pod.
#pragma once

#include "sim/store/store_internal.h"

bool admission_apply(struct store *store, const struct store_resource *resource,
                     const char *namespace, json_t *object, struct failure *failure);
