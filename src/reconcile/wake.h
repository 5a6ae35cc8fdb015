// The wake table: a reconciler queues a key of another one without knowing it.
//
// A reconciler registers for its target (a number given out by the assembly); any code may wake the
// target. wake() runs only the target's function, which remembers the key. A target without a
// registration is switched off: waking it does nothing.
#pragma once

#include <stdint.h>

// `key`: a key of the target's queue; NULL if the target has only one.
typedef void (*wake_function)(void *context, const char *key);

struct manager;

// One function for each target at most. `function` NULL: unregisters the target.
void wake_register(struct manager *manager, uint32_t target, wake_function function, void *context);
void wake(struct manager *manager, uint32_t target, const char *key);
