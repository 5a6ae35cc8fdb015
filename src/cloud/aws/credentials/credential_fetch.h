// Carries out a plan of credentials: reads files, runs a program, asks an endpoint, assumes roles.
#pragma once

#include "base/loop.h"
#include "cloud/aws/client/aws_http.h"
#include "cloud/aws/credentials/credential_plan.h"

struct credential_fetch_options { // borrowed until the fetch ends
    struct loop *loop;
    struct aws_http *http;
    const struct aws_environment *environment;
    const char *region;
    uint64_t seed;
};
struct credential_fetch;
// Never before credential_fetch_start() has returned; `held` may be taken (zero it), NULL after an
// error.
typedef void (*credential_fetched)(void *context, struct held_credentials *held,
                                   const struct error *error);
struct credential_fetch *credential_fetch_start(const struct credential_fetch_options *options,
                                                credential_fetched done, void *context);
void credential_fetch_cancel(struct credential_fetch *fetch); // `done` is not called; frees
