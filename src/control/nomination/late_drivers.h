// Drivers that publish no devices on a node before it is open (LIF-64): nodes do not stay closed
// for them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct late_drivers;
struct late_drivers *late_drivers_create(void);
void late_drivers_destroy(struct late_drivers *drivers); // NULL is fine
// The driver is one of them, or becomes one: it has published nothing for the node that has been
// ready since `ready_ns` (monotonic, like `now_ns`).
bool late_drivers_have(struct late_drivers *drivers, const char *driver, int64_t ready_ns,
                       int64_t now_ns);
