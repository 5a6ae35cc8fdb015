// The allocator: whether a machine has devices for claims beside those that are taken (SCH-427,
// SCH-428). Depth first over claims, requests and devices; the first solution is taken. A bound on
// the steps stands for upstream's 5 s (SCH-424): beyond it there is no solution.
#pragma once

#include "engine/devices/devices.h"

// Where devices are looked for: first the shared ones that the machine reaches, then its own.
struct device_site {
    const struct device_set *sets[2]; // shared, own; NULL: none
    struct device_usage *usages[2];   // of those; a success adds to them, a failure changes nothing
    // The machine's requirements or labels. `fixed`: they are those of a node, and a term of a
    // device must be compatible; else the requirements must imply the term.
    uint32_t set;
    bool fixed;
};

bool devices_allocate(struct problem *problem, struct device_site *site,
                      const struct claim_devices *const *claims, uint32_t count) MUST_USE;

// Devices that match the choice's selectors; memoized. `problem` is not changed otherwise.
struct bitset devices_matching(struct problem *problem, const struct device_set *set,
                               const struct device_choice *choice);
// True if all selectors match, or the device is a unit of the resource that is asked for.
bool device_matches(const struct known_device *device, const struct device_choice *choice);
// True if the device's taints let the choice have it, and its pool is whole.
bool device_is_open(const struct known_device *device, const struct device_choice *choice);
// What an allocation of the device consumes of a capacity that several may share, by its request
// policy; -1: it cannot give as much.
int64_t device_consumption(const struct device_capacity *capacity,
                           const struct device_choice *choice);
