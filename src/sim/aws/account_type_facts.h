// The facts of data/ec2/ in DescribeInstanceTypes' form.
#pragma once

#include <jansson.h>

// The item for a type of data/ec2/instance-types.json, in the wire's names.
json_t *account_type_describe(const json_t *facts);
