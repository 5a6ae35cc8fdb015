// Validation of one object against the table of its kind: what an API server with adze's CRDs would
// answer (API-10 to 29), and, if asked, what the controller would reject at run time (section 8 of
// docs/rules/api.md) and what surely is not meant as it is written (API-313, GUI-1 to 16).
//
// It works on JSON and the tables alone. Three callers: `adze validate` (everything), the embedded
// API server (admission only), and tests.
#pragma once

#include "model/schema/object.h"
#include "model/validate/findings.h"
#include "model/validate/validate_options.h"

// Admission of `object`: unknown fields, defaults, structure, list types, rules; with `old` (the
// stored object before) also transition rules and ratcheting. Findings are appended. `stored`, if
// not NULL, receives the object as an API server would store it (pruned, defaulted, nulls dropped;
// a new reference); it is filled for refused objects too, as far as it can be made, except that an
// `object` that is no JSON object leaves NULL.
//
// metadata: name or generateName, labels, annotations and unknown fields are checked, but nothing
// is filled in (uid, creationTimestamp and so on are the store's business).
//
// Returns true if the object is admitted. Kinds without `custom` are admitted unseen and stored as
// they are. The object and `old` are not changed.
bool validate_object(const struct kind *kind, const json_t *object, const json_t *old,
                     const struct validate_options *options, struct findings *findings,
                     json_t **stored);
