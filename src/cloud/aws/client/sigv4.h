// AWS Signature Version 4: signs a request with HMAC-SHA256, so that the secret key never leaves
// the process.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cloud/aws/client/aws_credentials.h"
#include "cloud/aws/client/aws_http.h"

#define SIGV4_DATE_BYTES          17 // "20260101T000000Z"
#define SIGV4_AUTHORIZATION_BYTES 1024
#define SIGV4_SIGNED_HEADERS_MAX  16

struct sigv4_request {
    const char *method;
    const char *host;  // with a port that is not the scheme's
    const char *path;  // as sent: escaped once
    const char *query; // as sent, without "?"; NULL or "": none
    // Further headers that are signed, names in lower case; at most SIGV4_SIGNED_HEADERS_MAX.
    // host, x-amz-date and x-amz-security-token are signed in any case and not among them.
    const struct aws_http_header *headers;
    uint32_t headers_count;
    const char *body;
    size_t body_bytes;
    const char *region, *service;
    int64_t now; // instant of the signature
};
void sigv4_date(int64_t now, char date[SIGV4_DATE_BYTES]); // the header X-Amz-Date
// The header Authorization.
void sigv4_sign(const struct sigv4_request *request, const struct aws_credentials *credentials,
                char authorization[SIGV4_AUTHORIZATION_BYTES]);
