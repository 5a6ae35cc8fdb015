// Burstable instance types (SCH-507): the part of their vCPUs that they earn all the time, and what
// each vCPU costs that they use beyond. All types count as unlimited.
#pragma once

#include "model/schema/karpenter.h"

// surplus_price 0: the type is not burstable.
struct instance_burst burst_of_type(const char *instance_type, bool windows);
