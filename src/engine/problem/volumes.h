// What the volumes of pods ask (SCH-330 to SCH-336, SCH-351, SCH-515).
#pragma once

#include "engine/problem/problem.h"

// What the pod's volumes ask; NULL if it has none that matter.
const struct pod_volumes *volumes_of_pod(struct problem *problem, const struct pod *pod);
// SCH-515: which volume claims of one pod only the bound pods use.
void volumes_find_exclusive(struct problem *problem);
