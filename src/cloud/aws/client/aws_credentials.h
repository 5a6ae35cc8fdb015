// Credentials of AWS, and the port to their source (AWN-520). The chain of sources is in
// cloud/aws/credentials/.
#pragma once

#include <stdint.h>

#include "base/error.h"

struct aws_credentials {
    const char *access_key_id, *secret_access_key;
    const char *session_token; // NULL: none
    int64_t expires;           // instant; INT64_MAX: never
};
struct aws_credentials_result {
    struct error error;
    const struct aws_credentials *credentials; // borrowed until the callback returns
};
typedef void (*aws_credentials_done)(void *context, const struct aws_credentials_result *result);

struct aws_credentials_source {
    const struct aws_credentials_operations {
        // Calls `done` once: at once if the credentials are cached and fresh, else later.
        void (*get)(struct aws_credentials_source *source, aws_credentials_done done,
                    void *context);
        // `done` with this context is not called any more.
        void (*cancel)(struct aws_credentials_source *source, void *context);
        // AWS has refused the credentials: the next get() asks the origin again, at most every few
        // seconds.
        void (*refused)(struct aws_credentials_source *source);
        void (*destroy)(struct aws_credentials_source *source);
    } * operations;
};
// Credentials that never change; the texts are copied. For tests, and for the environment's.
struct aws_credentials_source *aws_credentials_fixed(const struct aws_credentials *credentials);
