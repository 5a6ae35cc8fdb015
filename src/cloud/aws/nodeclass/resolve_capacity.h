// Capacity reservations (AWN-130 to 135) and the placement group (AWN-150, 151) of an EC2NodeClass.
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

void resolve_capacity_reservations(struct class_pass *pass);
void resolve_placement_group(struct class_pass *pass);
