// Reports unreadable annotations of NodePools, which have no effect: once for each new value, as a
// warning event and in the log.
#pragma once

#include "control/runtime/control.h"

void pool_annotations_watch(struct control *control); // handlers only
