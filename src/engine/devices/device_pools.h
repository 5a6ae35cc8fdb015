// Devices that drivers publish in ResourceSlices (SCH-422, SCH-426).
#pragma once

#include "engine/devices/devices.h"

// Names attributes, by commas, whose values drivers choose on the machine.
#define ANNOTATION_RUNTIME_ATTRIBUTES "adze.dev/runtime-attributes"

// Adds the slice's devices and counters. False if one cannot be read.
bool device_set_add_slice(struct problem *problem, struct device_set *set,
                          const struct resource_slice *slice, struct error *error) MUST_USE;
// Makes the sets of nodes and the set of shared devices.
void device_pools_read(struct problem *problem);
