// Validation of one object against the table of its kind: the answer of an API server with adze's
// CRDs (API-10 to 29), and, if requested, the controller's run-time rejections (section 8 of
// docs/rules/api.md) and probable mistakes (API-313, GUI-1 to 16).
//
// It needs only JSON and the tables. Three callers: `adze validate` (everything), the embedded API
// server (admission only), and tests.
#pragma once

#include "model/schema/object.h"
#include "model/validate/findings.h"
#include "model/validate/validate_options.h"

// Admission of `object`: unknown fields, defaults, structure, list types, rules; with `old` (the
// object stored before) also transition rules and ratcheting. Findings are appended. `stored`, if
// not NULL, receives the object in its stored form (pruned, defaulted, nulls dropped; a new
// reference). It is filled for refused objects too, as far as possible, except that an `object`
// that is not a JSON object leaves NULL.
//
// metadata: name or generateName, labels, annotations and unknown fields are checked, but nothing
// is filled in (the store sets uid, creationTimestamp and so on).
//
// Returns true if the object is admitted. Kinds without `custom` are admitted unchecked and stored
// unchanged. The object and `old` are not changed.
bool validate_object(const struct kind *kind, const json_t *object, const json_t *old,
                     const struct validate_options *options, struct findings *findings,
                     json_t **stored);
