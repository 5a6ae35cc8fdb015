// Devices of machine types as their drivers publish them: NVIDIA GPUs (gpu.nvidia.com) and AWS
// Neuron devices (neuron.aws.com), by the labels of the type. What depends on the machine image,
// such as the driver's version, is left out. An assumption: the driver must be installed.
#pragma once

#include "model/devices/device_facts.h"
#include "model/schema/karpenter.h"

typedef LIST(struct device_facts) device_facts_list;

// Empty for a type without such devices. Everything lives in the arena or in the type.
device_facts_list built_in_devices(struct arena *arena, const struct instance_type *type);
