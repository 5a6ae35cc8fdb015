// AWN-176: which image of the NodeClass's status an instance type boots.
#pragma once

#include "model/schema/ec2_node_class.h"

// The first compatible entry of status.amis, or NULL.
const struct ec2_ami *ami_for_type(const struct ec2_node_class *node_class,
                                   const struct instance_type *type);
// The same with a Node's labels in place of the type's requirements (AWI-21).
const struct ec2_ami *ami_for_labels(const struct ec2_node_class *node_class,
                                     const struct string_map *labels);
