// The controller nodeclaim.expiration (LIF-150): a NodeClaim older than its expireAfter is deleted.
#pragma once

#include "control/runtime/control.h"

struct expiration *expiration_create(struct control *control); // LIF-150
void expiration_destroy(struct expiration *expiration);
