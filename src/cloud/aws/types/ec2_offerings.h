// The offerings of EC2's instance types (AWI-160 to AWI-162): spot and on-demand in each zone, with
// their prices.
#pragma once

#include <jansson.h>

#include "model/schema/karpenter.h"

#define EC2_ZONES_MAX 8

struct ec2_offerings { // of one region
    struct arena *arena;
    const json_t *prices; // on-demand: instance type -> USD an hour
    double spot_share;    // the estimated price of spot, as a share of on-demand's
    uint32_t zones;
    requirement_list requirements[EC2_ZONES_MAX][2]; // on-demand and spot; shared by all types
};
// `facts`: what EC2 says about the type. A type without a price is not available.
void ec2_offerings_fill(const struct ec2_offerings *offerings, const json_t *facts,
                        struct instance_type *type);
// `name`: "spot" or "on-demand".
bool ec2_has_usage_class(const json_t *facts, const char *name);
