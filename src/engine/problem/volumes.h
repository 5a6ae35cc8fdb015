// Requirements of pods' volumes (SCH-330 to SCH-336, SCH-351, SCH-515).
#pragma once

#include "engine/problem/problem.h"

// The requirements of the pod's volumes; NULL if none matter.
const struct pod_volumes *volumes_of_pod(struct problem *problem, const struct pod *pod);
// SCH-515: finds the ReadWriteOncePod claims that bound pods use.
void volumes_find_exclusive(struct problem *problem);
