// The environment of the built-in account, in the form of environment.json.
#pragma once

#include <jansson.h>

// Region us-west-2, four zones, the cluster, two tiers of subnets, security groups, and for each
// alias of each family two images: the current one, and a newer one whose SSM parameter is not
// released (environment key "released": parameters to put).
json_t *built_in_environment(const char *cluster);
