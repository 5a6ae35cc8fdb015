// Attribute-based instance selection of Auto Scaling groups and launch templates (MIG-82).
#pragma once

#include "cli/autoscaler/group.h"

void instance_requirements_convert(struct group *group, const json_t *attributes);
