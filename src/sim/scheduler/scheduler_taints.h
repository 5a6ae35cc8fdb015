// Taints of nodes that a pod does not tolerate.
#pragma once

#include "model/schema/core.h"

// The first taint that the pod does not tolerate, with effect NoExecute or (unless only_no_execute)
// NoSchedule.
const struct taint *filter_untolerated_taint(const struct pod_spec *spec, const struct node *node,
                                             bool only_no_execute);
