// EC2's form and the query form of IAM and STS: parameters as NAME=VALUE, nested by dots.
#pragma once

#include <jansson.h>

#include "base/error.h"
#include "base/text.h"
#include "cloud/aws/client/aws_action_info.h"

// "Action=DescribeSubnets&Version=2016-11-15&Filter.1.Name=..."
bool aws_query_encode(const struct aws_action_info *action, const json_t *parameters,
                      struct text *body, struct error *error) MUST_USE;
// NULL if malformed. `form` is changed.
json_t *aws_query_decode(const struct aws_action_info *action, char *form,
                         struct error *error) MUST_USE;
// A number without exponent, with as few digits as give the same double again.
void aws_query_number(double value, struct text *out);
