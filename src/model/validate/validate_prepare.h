// Converts a sent object to its stored form (API-10, 11, 27).
#pragma once

#include "model/validate/validation.h"

// The value in its stored form: unknown fields reported and dropped, nulls dropped, whole numbers
// written as such, defaults filled in. A new reference.
json_t *prepare_object(struct validation *validation, const struct place *place,
                       const struct type *type, const json_t *object);
