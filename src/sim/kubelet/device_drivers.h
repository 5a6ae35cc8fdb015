// Dynamic resource allocation around the scheduler: ResourceClaims are made from the templates of
// pods and given up when their pods are gone, and each Node gets the ResourceSlices that templates
// of devices promise for its machine type (docs/devices.md), as its drivers would publish them.
#pragma once

#include "sim/world/world_internal.h"

struct device_drivers *device_drivers_create(struct world *world);
void device_drivers_destroy(struct device_drivers *drivers);
// Handlers of the world's cache (world_change).
void device_drivers_leave(void *drivers, struct world_object *object);
void device_drivers_enter(void *drivers, struct world_object *object);
