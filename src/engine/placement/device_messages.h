// Why no machine type has the devices that a pod claims.
#pragma once

#include "engine/pass/pass_state.h"

struct shape;

// Writes the refusal if a request for devices is what no type of the claim meets under `set`, and
// names the request. False: the devices are not to blame.
bool refusal_add_devices(struct pass *pass, const struct claim *claim, const struct shape *shape,
                         uint32_t set);
