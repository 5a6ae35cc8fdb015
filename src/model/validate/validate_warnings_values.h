// Warnings about quantities and durations (API-313, API-603).
#pragma once

#include "model/validate/validation.h"

void warn_quantities(struct validation *validation, const struct place *place, const json_t *map);
// Reads the duration of the field at `place`; refuses one out of range. Returns false (and
// DURATION_NEVER) if it is absent or never ends.
bool warn_duration(struct validation *validation, const struct place *place, const json_t *object,
                   int64_t *nanoseconds);
// Names of resources that no machine has: limits on them never hold anything back.
void warn_resource_names(struct validation *validation, const struct place *place,
                         const json_t *map);
