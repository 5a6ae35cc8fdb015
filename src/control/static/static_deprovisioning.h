// The controller static.deprovisioning (LIF-233, LIF-234): it deletes NodeClaims of a static
// NodePool that has more than `replicas`. It ignores budgets and PDBs; the drain honours PDBs.
#pragma once

#include "control/runtime/control.h"
#include "control/static/static_capacity.h"

struct static_capacity;
struct static_deprovisioning *static_deprovisioning_create(struct control *control,
                                                           struct static_capacity *capacity);
void static_deprovisioning_destroy(struct static_deprovisioning *deprovisioning);
