// Inside of validation: what validate.c, validate_prepare.c, validate_schema.c, validate_metadata.c
// and the advisers share.
#pragma once

#include "base/text.h"
#include "model/schema/type.h"
#include "model/validate/validate.h"

// A path as a chain on the stack; its text is made only for findings.
struct place {
    const struct place *parent; // NULL: the object itself
    const char *key;            // NULL: an item of a list
    size_t index;
    bool map_key; // the key is the user's, not a field's
};

struct validation {
    const struct kind *kind;
    const struct validate_options *options;
    struct findings *findings; // NULL: nothing is reported
    bool refused;      // any FINDING_REFUSED so far
    uint32_t reported; // findings so far
    bool oversized;    // a list is longer than an API server takes, by far: no advice on top
    bool has_duplicates;      // a set or map list holds something twice
    bool forgives_duplicates; // as the old object had some too (ratcheting is for all or none)
    bool forgiven;     // the value is as it was before: only rules speak, as warnings (API-10)
};

// Appends the text of the place (API-316).
void place_text(const struct place *place, struct text *text);

// Adds a finding at a place. `hint` may be NULL.
void validation_report(struct validation *validation, enum finding_level level, const char *code,
                       const char *rule, const struct place *place, const char *hint,
                       const char *format, ...) PRINTF_LIKE(7, 8);

// Whether the object has so many findings that no more are kept.
bool validation_is_full(const struct validation *validation);

// --- validate_prepare.c --------------------------------------------------------------------------
// The value as it would be stored: unknown fields reported and dropped, nulls dropped, whole numbers
// written as such, defaults filled in. A new reference.
json_t *prepare_object(struct validation *validation, const struct place *place,
                       const struct type *type, const json_t *object);

// --- validate_schema.c ---------------------------------------------------------------------------
// Checks a prepared value against its row. `old_value` is what stood there before, or NULL.
void check_field(struct validation *validation, const struct place *place,
                 const struct field *field, const json_t *value, const json_t *old_value);
void check_object(struct validation *validation, const struct place *place, const struct type *type,
                  const json_t *value, const json_t *old_value);
// The paragraph of the specification that a structural finding is about.
const char *schema_rule(const struct validation *validation, const struct field *field);
bool field_is_required(const struct validation *validation, const struct field *field);

// --- validate_metadata.c -------------------------------------------------------------------------
extern const struct type type_any_metadata;
void check_metadata(struct validation *validation, const json_t *metadata,
                    const json_t *old_metadata);

// --- validate_hints.c ----------------------------------------------------------------------------
// What is probably meant by a field that does not exist at `place`: into `out`; false if unknown.
bool hint_unknown_field(const struct validation *validation, const struct place *place,
                        const struct type *type, const char *name, struct text *out);
// What to write where a required field is missing, or NULL.
const char *hint_required(const char *name);
bool hint_enum(const char *value, const char *const *allowed, struct text *out);
bool hint_pattern(const struct field *field, const char *value, struct text *out);
bool hint_type(const struct field *field, const struct place *place, const json_t *value,
               struct text *out);

// --- validate_runtime.c, validate_advice.c, validate_advice_ec2.c --------------------------------
// Over the prepared object: run-time refusals, and what is hardly meant.
void advise_node_pool(struct validation *validation, const json_t *object);
void advise_node_claim(struct validation *validation, const json_t *object);
void advise_node_overlay(struct validation *validation, const json_t *object);
void advise_capacity_buffer(struct validation *validation, const json_t *object);
void advise_ec2_node_class(struct validation *validation, const json_t *object);
void advise_texts(struct validation *validation, const json_t *object); // every kind: GUI-11
void check_node_pool_at_run_time(struct validation *validation, const json_t *object);
void check_node_overlay_at_run_time(struct validation *validation, const json_t *object);
