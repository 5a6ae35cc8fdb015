// All that the resolved types of a NodeClass depend on, as a text to compare (AWI-12).
#pragma once

#include "base/text.h"
#include "cloud/aws/types/resolved_types.h"

void resolved_key(const struct resolving *resolving, const struct ec2_node_class *node_class,
                  const struct placement_group *group, struct text *key);
