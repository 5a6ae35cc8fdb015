// Events about changed conditions and removed finalizers (LIF-370) of NodeClaims, NodePools, Nodes,
// node classes and CapacityBuffers.
//
// An event is published once for an object and text within two minutes, so that a flapping
// condition makes no storm. The number of events of a reason is limited for a wave of nodes, since
// they share the API client with the controllers' own writes.
#pragma once

#include "control/runtime/control.h"

void condition_events_watch(struct control *control); // LIF-370; handlers only
