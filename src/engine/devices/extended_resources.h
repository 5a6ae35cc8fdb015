// Resources that DeviceClasses offer by name (Kubernetes' DRAExtendedResource): a pod that asks for
// such a resource among its requests gets a claim of the class, unless a device plugin provides
// the resource on the node. A device plugin's units stand for devices in the set of its node, or of
// its machine type if the type's devices do not match the class.
#pragma once

#include "engine/devices/devices.h"

#define EXTENDED_CLAIMS_MAX 16 // of a pod, one for each such resource

// Finds the names; call once devices->classes are there.
void extended_resources_read(struct problem *problem);
// True if it is such a resource, and claims are planned.
bool is_extended_resource(const struct problem *problem, const char *resource);
// The pod's requests without such resources.
struct resource_map requests_without_extended(const struct problem *problem, struct arena *arena,
                                              const struct pod *pod);
// True if the pod asks for such a resource.
bool asks_extended_resources(const struct problem *problem, const struct pod *pod);
// Adds the pod's claims to `devices`, which has room for EXTENDED_CLAIMS_MAX more.
void extended_resources_claim(struct problem *problem, const struct pod *pod,
                              struct pod_devices *devices);
// Adds what device plugins provide, by a node's allocatable or a type's capacity. `template`: only
// where no device of the set matches the class.
void extended_resources_add(struct problem *problem, struct device_set *set,
                            const struct resource_map *provided, bool template);
