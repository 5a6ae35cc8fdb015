// Fields of a written object held against the schema of its kind: unknown ones, and values of
// another JSON type. As an API server's strict decoding (fieldValidation).
#pragma once

#include <jansson.h>

#include "sim/store/failure.h"

// Appends the paths of unknown fields ("spec.replica") to `unknown`, an array. Returns false with
// failure set (400) for a value that the type can't hold. `types`: builtin_types_create().
bool field_check(const json_t *types, const struct store_resource *resource, const json_t *object,
                 json_t *unknown, struct failure *failure);
