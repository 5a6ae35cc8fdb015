// Settings of AWS's clients by the environment, and behind it by the profile of the shared files
// (AWN-523, 524): endpoints, FIPS and dual stack, certificates, retries, the metadata service.
#pragma once

#include "base/error.h"
#include "cloud/aws/client/aws_endpoints.h"

struct profile_settings;
// Reads the shared files. NULL: one cannot be read. `environment` is copied.
struct profile_settings *profile_settings_create(const struct aws_environment *environment,
                                                 struct error *error);
void profile_settings_destroy(struct profile_settings *settings); // NULL is fine
// Answers by the names of the environment's variables: a variable that is set counts, else the
// profile's setting of that meaning. AWS_ENDPOINT_URL wins over endpoints of a profile, those of
// single services included. Borrowed.
struct aws_environment profile_settings_environment(struct profile_settings *settings);
