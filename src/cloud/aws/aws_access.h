// Access to an AWS account by the environment: HTTP, the chain of credentials, the region, a
// client. For the controller's provider and for `adze doctor`.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/client/aws_endpoints.h"

struct metrics;
struct profile_settings;

struct aws_access {
    struct profile_settings *settings;
    struct aws_environment environment; // the settings'
    struct aws_http *http;
    struct aws_credentials_source *credentials;
    char *region;
    struct aws_client *client; // of aws_access_open() alone
};
// HTTP, credentials and region. Runs the loop for some seconds if the region must be asked of the
// instance metadata service (AWN-522): the loop must not be running yet.
bool aws_access_find(struct aws_access *access, struct loop *loop, struct error *error) MUST_USE;
// The same, and a client; `metrics` may be NULL.
bool aws_access_open(struct aws_access *access, struct loop *loop, struct metrics *metrics,
                     struct error *error) MUST_USE;
void aws_access_close(struct aws_access *access); // zeroed is fine
