// Failures of requests to the embedded API server: the content of a metav1.Status, shared by the
// store and the API server. Source: the Kubernetes API conventions, "Response Status Kind".
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "sim/store/store_resource.h"

struct failure {        // zero-initialised: none; free with failure_clear()
    int code;           // HTTP status; 0: no failure
    const char *reason; // metav1.StatusReason; static text
    char message[1500];
    json_t *details; // owned; NULL if none
};

// All return false, so that `return failure_set(...)` reads well; failure may be NULL.
bool failure_set(struct failure *failure, int code, const char *reason, const char *format, ...)
    PRINTF_LIKE(4, 5);
// The same with details {name, group, kind: plural} of one object.
bool failure_not_found(struct failure *failure, const struct store_resource *resource,
                       const char *name);
bool failure_already_exists(struct failure *failure, const struct store_resource *resource,
                            const char *name);
bool failure_conflict(struct failure *failure, const struct store_resource *resource,
                      const char *name, const char *format, ...) PRINTF_LIKE(4, 5);
bool failure_forbidden(struct failure *failure, const struct store_resource *resource,
                       const char *name, const char *format, ...) PRINTF_LIKE(4, 5);
bool failure_bad_request(struct failure *failure, const char *format, ...) PRINTF_LIKE(2, 3);
void failure_clear(struct failure *failure);

// Field errors are collected and become one 422 answer.
enum field_problem {
    FIELD_PROBLEM_REQUIRED,
    FIELD_PROBLEM_INVALID,
    FIELD_PROBLEM_DUPLICATE,
    FIELD_PROBLEM_FORBIDDEN,
    FIELD_PROBLEM_NOT_SUPPORTED,
};
struct field_errors { // of one object under validation
    json_t *causes;   // array; NULL: none yet
};
// `value` (may be NULL) is the offending value's text; strings are quoted: see
// field_errors_add_string().
void field_errors_add(struct field_errors *errors, enum field_problem problem, const char *field,
                      const char *value, const char *format, ...) PRINTF_LIKE(5, 6);
void field_errors_add_string(struct field_errors *errors, enum field_problem problem,
                             const char *field, const char *value, const char *detail);
// Adds a complete cause.
void field_errors_add_ready(struct field_errors *errors, const char *reason, const char *field,
                            const char *message);
// Returns true if there were none; otherwise fills failure with the 422 (kind and name of the
// object) and returns false. Always releases the errors.
bool field_errors_finish(struct field_errors *errors, const struct store_resource *resource,
                         const char *name, struct failure *failure);

// As a metav1.Status; the caller owns it.
json_t *failure_status(const struct failure *failure);
json_t *status_success(void);
// As an error value: kind from code and reason.
bool failure_to_error(const struct failure *failure, struct error *error);
