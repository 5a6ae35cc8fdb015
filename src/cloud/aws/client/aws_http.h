// Carries one HTTP exchange with an AWS endpoint. Two implementations: libcurl (aws_http_curl.h),
// and in the simulation an account that answers on virtual time (sim/aws/).
//
// Credentials and the instance metadata service use it as well: it knows nothing about AWS but the
// limits.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define AWS_BODY_BYTES_MAX ((size_t)64 << 20) // of an answer; more is an error

struct aws_http_header {
    const char *name, *value;
};
struct aws_http_request {
    const char *method; // "GET", "POST", "PUT"
    const char *url;    // absolute, escaped
    const struct aws_http_header *headers;
    uint32_t headers_count;
    const char *body; // NULL: none
    size_t body_bytes;
    int64_t timeout_ns; // of the exchange; 0: 4 min (AWN-524)
    bool direct;        // by no proxy, whatever the environment says: credentials are in the answer
};
struct aws_http_response {
    int status; // 0: no answer, see error
    const struct aws_http_header *headers;
    uint32_t headers_count;
    const char *body; // NUL-terminated; borrowed, like all of it, until the callback returns
    size_t body_bytes;
    struct error error; // UNAVAILABLE or TIMEOUT; NONE for every answer, whatever its status
};
typedef void (*aws_http_done)(void *context, const struct aws_http_response *response);

struct aws_http_call; // one exchange under way

struct aws_http {
    const struct aws_http_operations {
        // The request is copied. `done` is called once, never before start has returned, unless the
        // call is cancelled.
        struct aws_http_call *(*start)(struct aws_http *http,
                                       const struct aws_http_request *request, aws_http_done done,
                                       void *context);
        void (*cancel)(struct aws_http *http, struct aws_http_call *call);
        void (*destroy)(struct aws_http *http);
    } * operations;
};
// The value of a header of the response, any case; NULL if absent.
const char *aws_http_header_of(const struct aws_http_response *response, const char *name);
