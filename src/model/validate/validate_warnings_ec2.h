// Parts of an EC2NodeClass that are admitted, but rejected by the controller (AWN-231 to 235, 429,
// 463) or probably wrong (API-313, GUI-14).
#pragma once

#include "model/validate/validation.h"

void warn_ec2_node_class(struct validation *validation, const json_t *object);
