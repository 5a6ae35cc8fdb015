// The standard chain of AWS credentials (AWN-520, AWN-521).
//
// The first source that is configured counts: a profile chosen by AWS_PROFILE; the environment; web
// identity; the default profile; the container's endpoint; the instance's metadata. If it fails,
// the error says what it was, and why the ones before it gave nothing; no other source takes its
// place. Credentials are renewed five minutes before they expire, and the old ones used meanwhile.
// Those of the instance are used on when its metadata service has none that are newer (AWN-521).
#pragma once

#include <stdint.h>

#include "base/loop.h"
#include "cloud/aws/client/aws_credentials.h"
#include "cloud/aws/client/aws_http.h"

struct credential_chain_options { // borrowed, but for the region
    struct loop *loop;
    struct aws_http *http;
    const char *region;                                          // for STS; copied
    const char *(*environment)(void *context, const char *name); // NULL: getenv()
    void *environment_context;
    uint64_t seed; // of the jitter
};
// Destroyed by its own operation, before loop and HTTP.
struct aws_credentials_source *credential_chain_create(
    const struct credential_chain_options *options);
