// What the kubelets ask of the volumes part.
#pragma once

#include "sim/world/world_internal.h"

// Every volume of the pod that has to be attached to its node is.
bool volumes_attached(const struct volumes *volumes, const struct world_object *pod);
