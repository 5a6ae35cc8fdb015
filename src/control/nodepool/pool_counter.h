// The controller nodepool.counter (LIF-205): status.resources and status.nodes of each NodePool,
// and the metrics of its limits and use (LIF-350).
#pragma once

#include "control/runtime/control.h"

struct pool_controller *pool_counter_create(struct control *control); // LIF-205
