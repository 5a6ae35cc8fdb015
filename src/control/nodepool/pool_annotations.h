// Tells of annotations of NodePools that cannot be read, and so have no effect: once for each value
// that is new, as a warning event and in the log.
#pragma once

#include "control/runtime/control.h"

void pool_annotations_watch(struct control *control); // handlers only
