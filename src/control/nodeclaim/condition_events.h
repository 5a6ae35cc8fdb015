// Events about conditions that change and finalizers that go (LIF-370) of NodeClaims, NodePools,
// Nodes, node classes and CapacityBuffers.
//
// Told once for an object and text within two minutes, so that a condition that flaps makes no
// storm; and a wave of nodes may spend only so many events of a reason, since they share the API
// client with the controllers' own writes.
#pragma once

#include "control/runtime/control.h"

void condition_events_watch(struct control *control); // LIF-370; handlers only
