// The wake table: how a reconciler asks another one to look at a key, without knowing it.
//
// A reconciler registers for its target (a number that the assembly gives out); anybody may wake
// the target. Nothing runs inside wake() but what the target does to remember the key. A target
// that nobody has registered for is switched off: waking it does nothing.
#pragma once

#include <stdint.h>

// `key`: as the target's queue has it; NULL where the target has only one.
typedef void (*wake_function)(void *context, const char *key);

struct manager;

// At most one for each target. `function` NULL: the target is gone.
void wake_register(struct manager *manager, uint32_t target, wake_function function, void *context);
void wake(struct manager *manager, uint32_t target, const char *key);
