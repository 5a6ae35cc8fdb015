// The controller nodepool.hash (LIF-200): the drift hash of each NodePool's template, and the
// migration of NodeClaims to a new version of the hash.
#pragma once

#include "control/runtime/control.h"

// Destroyed by pool_controller_destroy().
struct pool_controller *pool_hash_create(struct control *control); // LIF-200
