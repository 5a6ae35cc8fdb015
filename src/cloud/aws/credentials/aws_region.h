// Which region the controller is in (AWN-522): AWS_REGION, AWS_DEFAULT_REGION, the profile's, the
// instance's.
#pragma once

#include "base/error.h"
#include "base/loop.h"
#include "cloud/aws/client/aws_endpoints.h"
#include "cloud/aws/client/aws_http.h"

struct aws_region_search;
typedef void (*aws_region_found)(void *context, const char *region, const struct error *error);
// `found` is called once, never before this function has returned: with a region, or with NULL and
// an error that says what was tried. The environment's context is borrowed.
struct aws_region_search *aws_region_find(struct loop *loop, struct aws_http *http,
                                          const struct aws_environment *environment,
                                          aws_region_found found, void *context);
