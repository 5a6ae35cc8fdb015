// Defaults of the built-in kinds that clients, controllers and the scheduler read. Source: the
// Kubernetes API reference of each kind.
#pragma once

#include "sim/store/store_internal.h"

void defaults_apply(struct store *store, const struct store_resource *resource, json_t *object,
                    bool creating);
