// Findings about an EC2NodeClass that need the provider: user data that its family cannot take, or
// of which a part does not reach machines (AWN-276, 295, 711); kubelet expressions that do not
// compile, or have no value for instance types (AWN-233, 718).
#pragma once

#include "model/schema/object.h"
#include "model/validate/findings.h"

// For the provider's row (check_class).
void ec2_class_findings(const struct object *node_class, struct findings *findings);
