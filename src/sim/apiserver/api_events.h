// Events have two shapes over the same objects: core/v1 and events.k8s.io/v1.
#pragma once

#include "sim/apiserver/api_internal.h"

// The object in the client's requested version; new reference.
json_t *view_of(const struct store_resource *view, json_t *object);
json_t *view_read(const struct store_resource *view, json_t *object); // the way back; new reference
