// The fields of Kubernetes' built-in kinds as OpenAPI schemas, for kubectl explain and for the
// validation of fields. Read from data/kubernetes/types.txt and descriptions.txt.
#pragma once

#include <jansson.h>

#include "sim/store/store_resource.h"

#define TYPE_REFERENCE "#/components/schemas/"

// {"schemas": {type: schema}, "kinds": {"GROUP/VERSION/Kind": type}}; the caller owns it.
json_t *builtin_types_create(void);
// The schema of a kind; borrowed, or NULL.
json_t *builtin_types_kind(const json_t *types, const struct store_resource *resource);
// The schema that a "$ref" names; itself if it is no reference. Borrowed.
const json_t *builtin_types_follow(const json_t *types, const json_t *schema);
// Copies a schema with all that it refers to into `schemas`, and its type's name into *name if not
// NULL (borrowed from types).
void builtin_types_copy(const json_t *types, const char *type, json_t *schemas);
const char *builtin_types_name(const json_t *types, const struct store_resource *resource);
