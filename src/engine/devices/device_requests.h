// The specification of a ResourceClaim, compiled (SCH-427).
#pragma once

#include "engine/devices/devices.h"

// How the dimensions of resource vectors that count devices are named. They are the engine's own:
// the names of resources have no blanks.
#define DEVICE_DIMENSION "device of class "

// Equal specifications give the same object, whose dimensions are named at once. `name`: of the
// claim, for messages.
const struct claim_devices *claim_devices_of(struct problem *problem, const char *name,
                                             const struct resource_claim_spec *spec);
// The same for a pod that asks by a resource of its containers (extended_resources.h).
const struct claim_devices *claim_devices_by_resource(struct problem *problem, const char *resource,
                                                      const struct resource_claim_spec *spec);
