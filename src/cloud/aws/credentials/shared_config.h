// The shared files of AWS's tools: ~/.aws/config and ~/.aws/credentials (AWN-520).
//
// Sections are [default], [profile NAME], [services NAME] in the first, [NAME] in the second; a key
// in both counts as the second has it. Lines that are indented below a key without a value are
// settings within it.
#pragma once

#include "base/error.h"
#include "cloud/aws/client/aws_endpoints.h"

struct shared_config;
// Reads AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE, or the files in $HOME. Absent files are
// empty ones. NULL: one cannot be read.
struct shared_config *shared_config_read(const struct aws_environment *environment,
                                         struct error *error);
struct shared_config *shared_config_parse(const char *config, const char *credentials); // texts
void shared_config_destroy(struct shared_config *config); // NULL is fine
bool shared_config_has(const struct shared_config *config, const char *profile);
// NULL if absent or empty.
const char *shared_config_get(const struct shared_config *config, const char *profile,
                              const char *key);
// "endpoint_url" of the service "ec2", by the section [services NAME] that the profile names.
const char *shared_config_service(const struct shared_config *config, const char *profile,
                                  const char *service, const char *key);
// AWS_PROFILE, AWS_DEFAULT_PROFILE or "default"; `chosen` says whether it was named.
const char *shared_config_profile(const struct aws_environment *environment, bool *chosen);
