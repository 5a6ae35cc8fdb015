// Devices of machines that are not there yet, by machine type (SCH-422): those of slices with the
// annotation adze.dev/instance-types, else the built-in ones of the type.
#pragma once

#include "engine/devices/devices.h"

// NULL: the type has none. Valid while the problem lives.
struct device_set *device_template_of(struct problem *problem, const struct instance_type *type);
// By the type's name, of any catalog; NULL: not known, or it has none.
struct device_set *device_template_named(struct problem *problem, const char *type);
