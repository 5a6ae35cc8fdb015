// The instance profile of an EC2NodeClass (AWN-390, 391, 394, 396).
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

void resolve_instance_profile(struct class_pass *pass);
