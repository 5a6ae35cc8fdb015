// Objects of kinds that were defined at run time, held against their definition's schema: unknown
// fields are dropped, defaults are put in, types, bounds, enumerations, patterns and required
// fields are checked. Rules in CEL, formats and combinations (allOf, ...) are not.
//
// Source: Kubernetes, "Extend the Kubernetes API with CustomResourceDefinitions".
#pragma once

#include <jansson.h>

#include "sim/store/failure.h"

// Changes `object`, which is private. Paths of dropped fields are appended to `unknown`.
void custom_schema_complete(const json_t *schema, json_t *object, json_t *unknown);
void custom_schema_check(const json_t *schema, const json_t *object, struct field_errors *errors);
// openAPIV3Schema of a version of a definition; NULL if there is none. Borrowed.
const json_t *custom_schema_of(const json_t *version);
