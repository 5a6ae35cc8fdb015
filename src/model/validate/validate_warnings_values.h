// Warnings about quantities and durations (API-313, API-603).
#pragma once

#include "model/validate/validation.h"

void warn_quantities(struct validation *validation, const struct place *place, const json_t *map);
// Reads the duration of the field that `place` names; refuses one that is too long to be read.
// False (and DURATION_NEVER) if there is none, or none that ends.
bool warn_duration(struct validation *validation, const struct place *place, const json_t *object,
                   int64_t *nanoseconds);
