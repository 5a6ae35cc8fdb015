// What is taken of the devices in the cluster (LIF-250).
#pragma once

#include "engine/devices/devices.h"

// Fills devices->nodes (templates of nodes that are not initialized), in_use, held, and the
// consumers of shared claims; call once bound pods are known.
void device_nodes_compile(struct problem *problem);
