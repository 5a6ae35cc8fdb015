// The AWS cloud of a running controller: the assembly of the rooms below. It owns what they share
// (client, facts of the cluster, instance types, prices) and passes each room what it needs.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/port/provider.h"

struct profile_settings;

struct aws_cloud_options {
    const struct provider_environment *environment; // borrowed, its members outlive the cloud
    struct aws_http *http;                          // taken over
    struct aws_credentials_source *credentials;     // taken over
    const char *region;                             // copied
    // Environment variables of AWS's client; a NULL function: those of `settings`.
    const char *(*variable)(void *context, const char *name);
    void *variable_context;
    struct profile_settings *settings; // taken over; NULL: none, getenv()
};
// NULL with the error: settings that cannot be right. HTTP and credentials are released then, too.
struct cloud *aws_cloud_create(const struct aws_cloud_options *options, struct error *error);

// The row's reconcilers.
void *aws_cloud_reconcilers_create(struct manager *manager, struct cloud *cloud);
void aws_cloud_reconcilers_destroy(void *reconcilers);
