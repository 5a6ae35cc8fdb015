// Taints of nodes that a pod does not tolerate.
#pragma once

#include "model/schema/core.h"

// The first taint with effect NoExecute or (unless only_no_execute) NoSchedule that is not
// tolerated.
const struct taint *filter_untolerated_taint(const struct pod_spec *spec, const struct node *node,
                                             bool only_no_execute);
