// Objects in a version other than the stored one: events.k8s.io/v1 over core/v1, and autoscaling/v1
// over autoscaling/v2.
#pragma once

#include "sim/apiserver/api_internal.h"

void views_create(struct api_server *server);
// The view of that path, with the stored resource in `stored`; NULL if it is none.
const struct store_resource *view_find(const struct api_server *server, const struct api_path *path,
                                       const struct store_resource **stored);
// The object in the client's requested version; new reference.
json_t *view_of(const struct store_resource *view, json_t *object);
json_t *view_read(const struct store_resource *view, json_t *object); // the way back; new reference
