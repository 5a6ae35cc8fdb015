// A launch for which launch templates are wanted.
#pragma once

#include <jansson.h>

#include "cloud/aws/types/placement_group.h"
#include "model/schema/ec2_node_class.h"
#include "model/schema/karpenter.h"

struct launch_template_request { // borrowed until `done`
    const struct ec2_node_class *node_class;
    const struct node_claim *claim; // labels, taints, requirements, requests, annotations
    const struct instance_type *const *types;
    uint32_t types_count;
    const char *capacity_type, *tenancy;
    json_t *tags;                        // borrowed: {"key": "value"} (AWN-460)
    const struct placement_group *group; // NULL: none
    bool once;                           // validation: not retried (AWN-437)
    bool validation;                     // nothing is launched with it (AWN-713)
};
