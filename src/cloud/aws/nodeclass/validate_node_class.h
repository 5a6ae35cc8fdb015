// ValidationSucceeded of an EC2NodeClass: the checks of AWN-421 in their order.
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

// `draft`: the NodeClass with the new status.
void validate_node_class(struct class_pass *pass, const struct ec2_node_class *draft);
