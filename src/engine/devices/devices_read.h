// The devices and claims of a snapshot (devices.h).
#pragma once

#include "engine/devices/devices.h"

// Reads the objects, before pods become classes: problem->devices stays NULL if there is nothing to
// plan.
void devices_read(struct problem *problem);
void devices_free(struct problem *problem);
