// All that the resolved types of a NodeClass depend on, as a text to compare (AWI-12).
#pragma once

#include "base/text.h"
#include "cloud/aws/types/resolving.h"
#include "model/schema/ec2_node_class.h"

void resolved_key(const struct resolving *resolving, const struct ec2_node_class *node_class,
                  const struct placement_group *group, struct text *key);
