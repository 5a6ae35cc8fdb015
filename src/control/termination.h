// The controller node.termination (LIF-100 to LIF-140): taint, drain, wait for volumes, end the
// machine, let the Node go.
#pragma once

#include "control/control.h"

struct termination;
struct termination *termination_create(struct control *control);
void termination_destroy(struct termination *termination);
