// The instance type of a validation's dry runs (AWN-432), and their tenancy (AWN-433).
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

// A copy in arena memory; NULL: no type maps to an image of the NodeClass. Lists of the copy are
// borrowed from the catalogue.
const struct instance_type *validation_type(struct class_pass *pass,
                                            const struct ec2_node_class *draft,
                                            const struct instance_type_catalog *catalog);
const char *validation_tenancy(struct class_pass *pass);
