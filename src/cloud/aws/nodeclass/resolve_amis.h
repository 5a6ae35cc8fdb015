// AMIs of an EC2NodeClass (AWN-165 to 177).
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

void resolve_amis(struct class_pass *pass);
