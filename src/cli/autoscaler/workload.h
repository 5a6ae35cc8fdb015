// Workloads with names of older versions, or with annotations and selectors of Cluster Autoscaler
// (MIG-60, MIG-61, MIG-90).
#pragma once

#include "cli/autoscaler/autoscaler.h"

// False: it is no workload, or nothing of it has to change.
bool workload_convert(struct source *source, const struct autoscaler *autoscaler);
