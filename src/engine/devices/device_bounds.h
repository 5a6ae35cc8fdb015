// How often machines can meet requests for devices, at most: dimensions of resource vectors, so
// that types without the devices are left out and packing knows how many pods share a machine.
#pragma once

#include "engine/devices/devices.h"

// Adds the pod's own requests.
void devices_add_requests(const struct pod_devices *devices, int64_t *vector);
// Sets what machines of the type have.
void devices_set_type(struct problem *problem, const struct instance_type *type, int64_t *vector);
// Sets what a node has left; `index` is its state node.
void devices_set_node(struct problem *problem, uint32_t index, int64_t *vector);
