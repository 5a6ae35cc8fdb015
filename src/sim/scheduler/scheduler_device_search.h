// Choosing devices of a node for the claims of a pod (scheduler_devices.h).
#pragma once

#include "model/devices/device_facts.h"
#include "sim/scheduler/scheduler_internal.h"

#define CLAIM_DEVICES_MAX 32 // the API's limit

// A claim of the pod, with the result of the last allocation.
struct device_claim {
    const struct resource_claim *claim;
    bool allocated;  // by the API server's object
    bool reserved;   // for this pod
    uint32_t others; // that it is reserved for
};
struct taken_device { // for a claim of the pod
    const struct resource_slice *slice;
    const struct device *device;
    const struct device_facts *facts;
    const char *request; // with the alternative: "gpu/large"
    uint32_t claim;
    bool admin;
};
struct device_allocation {
    struct taken_device items[128];
    uint32_t count;
};

// Finds devices for all claims that are not allocated; false: there are none.
bool devices_search(const struct filter_state *state, const struct node *node,
                    struct device_allocation *out) MUST_USE;
// How a taken device is named in state->devices.taken.
void device_key(const char *driver, const char *pool, const char *device, char out[600]);
