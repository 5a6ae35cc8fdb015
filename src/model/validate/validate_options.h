// How strictly an object is validated.
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
