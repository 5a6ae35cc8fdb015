// What a validation's dry runs ask for (AWN-432, 433, 713): instance types, tenancy, capacity type,
// NodePool.
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

#define VALIDATION_TYPES_MAX 3

struct validation_types {                                    // tried in this order
    const struct instance_type *items[VALIDATION_TYPES_MAX]; // the first may be in arena memory
    uint32_t count;                                          // 0: none maps to an image
};
// AWN-713: where NodePools leave several families, one of each; upstream: one type.
struct validation_types validation_types(struct class_pass *pass,
                                         const struct ec2_node_class *draft,
                                         const struct instance_type_catalog *catalog);
const char *validation_tenancy(struct class_pass *pass);
// AWN-713: spot if every NodePool of the NodeClass leaves spot alone; upstream: on-demand.
const char *validation_capacity_type(struct class_pass *pass);
// AWN-713: the first NodePool of the NodeClass by name; "": none, or upstream.
const char *validation_node_pool(struct class_pass *pass);
