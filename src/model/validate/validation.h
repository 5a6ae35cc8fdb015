// Internals of validation, shared by validate.c, validate_prepare.c, validate_schema.c,
// validate_metadata.c and the warnings.
#pragma once

#include "model/schema/place.h"
#include "model/schema/type.h"
#include "model/validate/findings.h"
#include "model/validate/validate_options.h"

struct validation {
    const struct kind *kind;
    const struct validate_options *options;
    struct findings *findings; // NULL: nothing is reported
    bool refused;              // any FINDING_REFUSED so far
    uint32_t reported;         // findings so far
    bool oversized;            // a list is far longer than an API server accepts: no warnings
    bool has_duplicates;       // a set or map list has a duplicate
    bool forgives_duplicates;  // as the old object had some too (ratcheting is all or nothing)
    bool forgiven;             // the value is unchanged: only rules report, as warnings (API-10)
};

struct report { // the details of a finding beside its message (findings.h)
    enum finding_level level;
    const char *code, *rule, *hint; // each may be NULL
    const struct place *place;      // NULL: the object itself
    bool is_form;                   // findings.h
};
// Adds a finding at a place.
void validation_report(struct validation *validation, const struct report *report,
                       const char *format, ...) PRINTF_LIKE(3, 4);
// A warning of API-313: admitted, but probably wrong.
void validation_warn(struct validation *validation, const struct place *place, const char *code,
                     const char *hint, const char *format, ...) PRINTF_LIKE(5, 6);

// Whether the object has reached the maximum of findings.
bool validation_is_full(const struct validation *validation);
