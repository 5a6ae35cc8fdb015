// The partition of a placement group that a launch asks for (AWN-152, AWI-671, 905).
#pragma once

#include "cloud/aws/types/placement_group.h"
#include "model/schema/karpenter.h"

// The lowest partition that the claim's requirement allows; NULL: the group has no partitions, or
// the claim does not ask for one. A static text or the claim's. `upstream`: the lowest in the order
// of text of those that operator In lists, and of a group of any kind.
const char *partition_choice(const struct node_claim *claim, const struct placement_group *group,
                             bool upstream);
