// The JSON form of each field, of absent fields, and the set of fields: shared answers, so that
// decoding (decode.h) and validation (model/validate/) agree.
//
// Both walk the tables separately, for different purposes. Validation acts as an API server: it
// makes the stored form (unknown fields pruned, nulls dropped, 1.0 written as 1) in the order of
// the document, then checks patterns, bounds and rules and collects all findings. Decoding reads
// files and objects stored by an API server of any age: it follows the order of the table, straight
// into memory, and stops at the first error. It checks no pattern or bound, but parses durations,
// instants and quantities. A row of json_forms shows where they accept different JSON: `read`
// beside `stored`. Two more differences are by design. Decoding refuses an int-or-string beyond 32
// bits, which API servers store. A missing required field is an error of validation only; it
// decodes as "" or as an empty object.
#pragma once

#include <jansson.h>
#include <string.h>

#include "model/schema/type.h"

struct json_form {
    uint8_t stored;              // sets of JSON types, 1 << json_typeof(): what API servers store
    uint8_t read;                // accepted by the decoder
    bool narrow;                 // whole numbers have 32 bits
    const char *name;            // in messages of the decoder: "an integer"
    const char *name_for_people; // in findings: "a whole number"
};
extern const struct json_form json_forms[];    // by enum field_kind
extern const struct json_form json_form_array; // FIELD_JSON of the format "array"
extern const struct json_form json_form_quantity;

// The form of the field's value, and of each item of its list or value of its map (lists and maps
// only).
const struct json_form *form_of_items(const struct field *field);
static inline const struct json_form *form_of(const struct field *field)
{
    bool is_array =
        field->kind == FIELD_JSON && field->format != NULL && strcmp(field->format, "array") == 0;
    return is_array ? &json_form_array : &json_forms[field->kind];
}
static inline bool form_reads(const struct json_form *form, const json_t *value)
{
    return form->read >> json_typeof(value) & 1;
}
static inline bool form_stores(const struct json_form *form, const json_t *value)
{
    return form->stored >> json_typeof(value) & 1;
}
static inline bool form_has_range_of(const struct json_form *form, int64_t number)
{
    return !form->narrow || (number >= INT32_MIN && number <= INT32_MAX);
}

// Null counts as absent.
static inline bool json_is_given(const json_t *value)
{
    return value != NULL && !json_is_null(value);
}
// The whole number in `value`, including 1.0; false for any other value, or one beyond 64 bits.
bool json_whole(const json_t *value, int64_t *number);
// "an object", "a list", "null": the found type in a message; the caller names booleans.
const char *json_type_text(const json_t *value, const char *boolean);

// A field of the header: not in any kind's table.
bool field_is_header(const char *name);
// In the CRDs shipped with the AWS provider (`as_of_aws_1_14`, the delta of API-1) some fields are
// required instead of defaulted.
bool field_is_required(const struct field *field, bool as_of_aws_1_14);
// The field's default, a new reference; NULL: none.
json_t *field_default(const struct field *field, bool as_of_aws_1_14);
// Fields with names near `name` (API-317), nearest first; returns their number.
size_t type_nearest_fields(const struct type *type, const char *name, const char **matches,
                           size_t matches_max);
