// The controllers nodeclaim.hydration and node.hydration (LIF-190): the label that tells the node
// class. What adze itself creates has it from the start; this is for NodeClaims made by hand or by
// others.
#pragma once

#include "control/runtime/control.h"

struct hydration *hydration_create(struct control *control); // LIF-190
void hydration_destroy(struct hydration *hydration);
