// Nodes with room for a pod that is led (drain_guide.h).
#pragma once

#include "control/runtime/control.h"

// A managed Node that draws pods: it is initialized, does not go, and is not closed.
bool drain_room_is_open(const struct control *control, const struct node *node);
// The planned Node if it still has the room, else the one where the pod leaves least: pods may have
// come to other nodes than planned. Only cpu and memory count. NULL: it fits nowhere.
const char *drain_room_for(const struct control *control, const char *planned, int64_t cpu,
                           int64_t memory);
