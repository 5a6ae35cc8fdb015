// The structural check with the rules beside it, and ratcheting (API-10, 16, 27, 310).
//
// Unlike an API server it evaluates rules even where the structure is broken, so that no error
// hides another; values of the wrong type are reported once and not examined further.
#pragma once

#include "model/validate/validation.h"

// Checks a prepared value against its row. `old_value` is its former value, or NULL.
void check_field(struct validation *validation, const struct place *place,
                 const struct field *field, const json_t *value, const json_t *old_value);
void check_object(struct validation *validation, const struct place *place, const struct type *type,
                  const json_t *value, const json_t *old_value);
// The rule (docs/rules/api.md) of a structural finding.
const char *schema_rule(const struct validation *validation, const struct field *field);
