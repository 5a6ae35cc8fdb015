// Room for a pod that is led to a node (drain_guide.h).
#pragma once

#include "control/runtime/control.h"

// The planned Node if it still has the room, else the one where the pod leaves least: pods may have
// come to other nodes than planned. Only cpu and memory count. NULL: it fits nowhere.
const char *drain_room_for(const struct control *control, const char *planned, int64_t cpu,
                           int64_t memory);
