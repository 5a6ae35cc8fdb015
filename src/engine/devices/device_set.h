// Sets of devices, and what has been taken of them (devices.h).
#pragma once

#include "engine/devices/devices.h"

struct device_set *device_set_create(struct problem *problem);
// Adds a device; its place in the set.
struct known_device *device_set_add(struct problem *problem, struct device_set *set);
// Finds the counter, or adds it.
uint32_t device_set_counter(struct problem *problem, struct device_set *set, const char *pool,
                            const char *counter_set, const char *name);
// Orders the devices and lays out the amounts of a usage; call after the last device.
void device_set_finish(struct device_set *set);
// The device's index; NONE if there is none of the name.
uint32_t device_set_find(const struct device_set *set, const char *driver, const char *pool,
                         const char *device);

struct device_usage *device_usage_create(struct arena *arena, const struct device_set *set);
void device_usage_copy(const struct device_set *set, struct device_usage *to,
                       const struct device_usage *from);
// Adds a device, with what it consumes of its capacity if others may have it, too.
void device_usage_take(const struct device_set *set, struct device_usage *usage, uint32_t device,
                       const named_amount_list *consumed);
// The greater of both, element by element (SCH-429).
void device_usage_raise(const struct device_set *set, struct device_usage *to,
                        const struct device_usage *other);
void device_usage_add(const struct device_set *set, struct device_usage *to,
                      const struct device_usage *other);
