// A client of AWS's APIs: endpoints, signatures (SigV4), protocols (query with XML, JSON, REST with
// JSON), paging, retries, throttling. Calls are asynchronous and end on the loop's thread.
//
// Each attempt is signed with fresh credentials. Retries follow the standard mode (AWN-524): at
// most AWS_MAX_ATTEMPTS, with jitter; throttled calls, 5xx, time-outs and clock skew are retried.
// A bucket for each class of action holds calls back while AWS throttles it (AWI-936).
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/loop.h"
#include "cloud/aws/client/aws_actions.h"
#include "cloud/aws/client/aws_credentials.h"
#include "cloud/aws/client/aws_http.h"
#include "cloud/aws/client/aws_request.h"

struct metrics;

struct aws_client;
struct aws_call;

struct aws_client_options { // borrowed, all of it outlives the client
    struct loop *loop;
    struct aws_http *http;
    struct aws_credentials_source *credentials; // NULL: only unsigned actions
    const char *region;                         // copied
    // AWS_ENDPOINT_URL*, AWS_USE_FIPS_ENDPOINT and so on; a NULL function: getenv().
    const char *(*environment)(void *context, const char *name);
    void *environment_context;
    struct metrics *metrics; // aws_sdk_go_* (AWI-722); NULL: none
    uint64_t seed;           // of the jitter
    // Encoded reasons of refusals are decoded by another call (sts:DecodeAuthorizationMessage), at
    // most once in ten minutes for an action.
    bool decodes_denials;
};
struct aws_client *aws_client_create(const struct aws_client_options *options, struct error *error);
// No callback comes after this; calls under way end.
void aws_client_destroy(struct aws_client *client); // NULL is fine
const char *aws_client_region(const struct aws_client *client);
const char *aws_client_partition(const struct aws_client *client); // "aws", "aws-cn", ...

// `done` is called once, never before this function has returned.
struct aws_call *aws_client_start(struct aws_client *client, const struct aws_request *request);
void aws_call_cancel(struct aws_call *call); // `done` is not called; frees the call

// How many calls of the action were sent (attempts), for tests and the tables of docs/aws.md.
uint64_t aws_client_sent(const struct aws_client *client, enum aws_action action);
// A retried action may be retried only with the same effect: parameters that lack one get a
// ClientToken (CreateFleet, CreateLaunchTemplate, RunInstances).
