// The controller disruption (DIS-10 to DIS-23): looks for nodes to disrupt, validates what was
// decided, clears up what a predecessor left. Methods come in the order of DIS-11; this holds
// emptiness.
#pragma once

#include "control/control.h"

struct disruption;
struct disruption *disruption_create(struct control *control);
void disruption_destroy(struct disruption *disruption);

// Something that the next pass should see has changed; it comes soon.
void disruption_wake(struct disruption *disruption);
