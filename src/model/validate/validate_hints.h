// How to mend what was refused (API-317, GUI-1 to 11): the words that people write in place of
// those that are meant.
#pragma once

#include "model/validate/validation.h"

// What is probably meant by a field that does not exist at `place`: into `out`; false if unknown.
bool hint_unknown_field(const struct validation *validation, const struct place *place,
                        const struct type *type, const char *name, struct text *out);
// What to write where a required field is missing, or NULL.
const char *hint_required(const char *name);
bool hint_enum(const char *value, const char *const *allowed, struct text *out);
bool hint_pattern(const struct field *field, const char *value, struct text *out);
bool hint_type(const struct field *field, const struct place *place, const json_t *value,
               struct text *out);
