// Remedies for refused fields and values (API-317, GUI-1 to 11): common wrong names and their
// correct ones.
#pragma once

#include "model/validate/validation.h"

// Writes the probable field for an unknown one at `place` to `out`; false if there is none.
bool hint_unknown_field(const struct validation *validation, const struct place *place,
                        const struct type *type, const char *name, struct text *out);
// The remedy for a missing required field, or NULL.
const char *hint_required(const char *name);
bool hint_enum(const char *value, const char *const *allowed, struct text *out);
bool hint_pattern(const struct field *field, const char *value, struct text *out);
bool hint_type(const struct field *field, const struct place *place, const json_t *value,
               struct text *out);
