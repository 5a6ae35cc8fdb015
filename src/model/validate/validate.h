// Validation of one object against the table of its kind: what an API server with adze's CRDs would
// answer (API-10 to 29), and, if asked, what the controller would reject at run time (section 8 of
// docs/rules/api.md) and what surely is not meant as it is written (API-313, GUI-1 to 16).
//
// It works on JSON and the tables alone. Three callers: `adze validate` (everything), the embedded
// API server (admission only), and tests.
#pragma once

#include "model/schema/object.h"

struct node_pool;

enum finding_level {
    FINDING_REFUSED,  // an API server refuses the object
    FINDING_REJECTED, // admitted, but the controller sets a condition False
    FINDING_WARNING,  // works, but hardly as meant
};
struct finding { // texts live in the arena of the list
    enum finding_level level;
    const char *code; // of warnings, stable: "W-cron"; NULL otherwise
    const char *rule; // "API-44", or NULL
    const char *path; // API-316: spec.template.metadata.labels["team/x"]; "" is the object itself
    const char *message;
    const char *hint; // how to mend it, or NULL
};
struct findings {
    struct finding *items;
    uint32_t count, capacity;
    struct arena *arena; // made on first use
};
void findings_free(struct findings *findings);
// Adds one finding; the path, message and hint are copied. `hint` may be NULL.
void findings_add(struct findings *findings, enum finding_level level, const char *code,
                  const char *rule, const char *path, const char *hint, const char *format, ...)
    PRINTF_LIKE(7, 8);
bool findings_refuse(const struct findings *findings); // any FINDING_REFUSED

struct validate_options {
    bool core;           // leave out the AWS provider's rules (API-47)
    bool as_of_aws_1_14; // the forms as shipped with the AWS provider (the delta of API-1)
    // Unknown fields: false refuses them (fieldValidation=Strict), true drops them with a warning
    // W-unknown-field (Warn, Ignore).
    bool lenient;
    // The status is what is being written (PUT or PATCH of /status): it is kept and checked. Else a
    // status is dropped from the stored form, or taken over from `old`, as API servers do for kinds
    // with a status subresource.
    bool status_written;
    // Run-time checks and warnings beside admission.
    bool advise;
    // Nanoseconds since the epoch, for warnings that name what comes next; 0: they do not.
    int64_t now;
};

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

// All refusals as one message in the form of an API server's Status ("NodePool.karpenter.sh
// "default" is invalid: spec.weight: ..."), for the embedded API server.
void findings_status_message(const struct findings *findings, const struct kind *kind,
                             const char *name, char *out, size_t size);
