// Where a service is reached in a region (AWN-523).
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "cloud/aws/client/aws_actions.h"

#define AWS_REGION_BYTES 64
#define AWS_URL_BYTES    512

struct aws_environment { // NULL function: getenv()
    const char *(*get)(void *context, const char *name);
    void *context;
};
const char *aws_environment_get(const struct aws_environment *environment,
                                const char *name); // NULL if absent or empty

struct aws_endpoint {
    char url[AWS_URL_BYTES];  // scheme, host, port and maybe a path, without "/" at the end
    char host[AWS_URL_BYTES]; // as the header Host has it
    char signing_region[AWS_REGION_BYTES];
};
// "aws", "aws-cn", "aws-us-gov", "aws-iso", ...; of an unknown region by its form: "aws".
const char *aws_partition_of(const char *region);
bool aws_region_is_valid(const char *region); // a DNS label
// `region` is the client's; IAM and Pricing have regions of their own. ERROR_INVALID: a configured
// URL is none, or the partition has no such endpoints.
bool aws_endpoint_find(const struct aws_environment *environment, enum aws_service service,
                       const char *region, struct aws_endpoint *endpoint,
                       struct error *error) MUST_USE;
