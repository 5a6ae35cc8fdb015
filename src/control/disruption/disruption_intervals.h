// The paces of the disruption controller.
#pragma once

#include "base/duration.h"

#define LOOK_SOON_NS    (500 * MILLISECOND) // from a change to the pass that sees it
#define LOOK_AGAIN_NS   (10 * SECOND)       // DIS-19
#define LOOK_SETTLED_NS (5 * MINUTE)        // nothing to wait for: DIS-180, LIF-314
