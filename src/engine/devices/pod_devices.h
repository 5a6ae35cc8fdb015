// The claims of pods (SCH-420, SCH-423, SCH-425).
#pragma once

#include "engine/devices/devices.h"

// The pod's claims; NULL: it has none, or claims are ignored. Pods with equal claims give the same
// object. `planned_anew`: the pod is bound, and looked at because it may have to move.
const struct pod_devices *devices_of_pod(struct problem *problem, const struct pod *pod,
                                         bool planned_anew);
// The claim behind a reference of the pod; NULL: it does not exist (yet).
const struct resource_claim *resource_claim_of(const struct problem *problem, const struct pod *pod,
                                               const struct pod_resource_claim *reference);
