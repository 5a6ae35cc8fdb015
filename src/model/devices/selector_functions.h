// The functions of device selectors (device_selector.h).
#pragma once

#include "model/devices/selector_values.h"

// Calls the function; `arguments` begin with the receiver of a method. VALUE_FAILED for arguments
// of kinds that it does not take. Texts go to the arena.
struct selector_value selector_call(struct arena *arena, enum selector_function function,
                                    const struct selector_value *arguments, uint32_t count);
