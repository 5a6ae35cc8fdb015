// Strictness of an object's validation.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct validate_options {
    bool core;           // leave out the AWS provider's rules (API-47)
    bool as_of_aws_1_14; // the forms as shipped with the AWS provider (the delta of API-1)
    // Unknown fields: false refuses them (fieldValidation=Strict), true drops them with a warning
    // W-unknown-field (Warn, Ignore).
    bool lenient;
    // The write is a PUT or PATCH of /status: the status is kept and checked. Otherwise a status is
    // dropped from the stored form, or taken from `old`, as API servers do for kinds with a status
    // subresource.
    bool status_written;
    // Run-time checks and warnings beside admission.
    bool advise;
    // Nanoseconds since the epoch, for warnings that name the next window; 0: they do not.
    int64_t now;
};
