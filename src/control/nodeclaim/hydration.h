// The controllers nodeclaim.hydration and node.hydration (LIF-190): the label of the node class.
// NodeClaims of adze have it from the start; NodeClaims of other creators get it here.
#pragma once

#include "control/runtime/control.h"

struct hydration *hydration_create(struct control *control); // LIF-190
void hydration_destroy(struct hydration *hydration);
