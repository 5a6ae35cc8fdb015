// Reports the capacity of machines to the provider (STO-15; cloud_operations.learn): of the Node of
// each initialized NodeClaim, when it is new and when its size changes.
#pragma once

#include "control/runtime/control.h"

void discovered_capacity_watch(struct control *control); // STO-15; handlers only
