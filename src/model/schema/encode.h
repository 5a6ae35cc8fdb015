// Pieces of objects as JSON, for partial writes (patches, plans). The caller owns the results.
// Quantities are canonical (base/quantity.h).
#pragma once

#include "model/schema/type.h"

json_t *struct_encode(const struct type *type, const void *value); // an object, by its table
json_t *string_list_encode(const struct string_list *list);
json_t *string_map_encode(const struct string_map *map);
json_t *resource_map_encode(const struct resource_map *map);

// The whole object as JSON with apiVersion and kind; the caller owns it. The object may be built by
// hand (a NodeClaim to create): `object->kind` must be set; of the rest of the header only `meta`
// is read.
json_t *object_encode(const struct object *object);
