// Whether an instance type can be launched with a NodeClass (AWN-41): its network cards, processor,
// hypervisor and placement.
#pragma once

#include "cloud/aws/types/instance_info.h"
#include "cloud/aws/types/placement_group.h"

// `group` NULL: none.
bool ec2_type_fits_class(const struct instance_info *info, const struct ec2_node_class *node_class,
                         const struct placement_group *group);
