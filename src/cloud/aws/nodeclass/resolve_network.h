// Subnets (AWN-100 to 103) and security groups (AWN-120 to 122) of an EC2NodeClass.
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

void resolve_subnets(struct class_pass *pass);
void resolve_security_groups(struct class_pass *pass);
