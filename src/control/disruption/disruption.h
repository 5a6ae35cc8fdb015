// The controller disruption (DIS-10 to DIS-23): looks for nodes to disrupt, validates what was
// decided, takes over what a predecessor left. Emptiness comes first and is looked at on the loop
// (disruption_emptiness.h); the other methods follow in a sweep on a worker thread
// (disruption_evaluation.h). Nothing waits for a command: the next look simply leaves its nodes out
// (DIS-702).
#pragma once

#include "control/runtime/control.h"

struct disruption_controller;
struct disruption_controller *disruption_create(struct control *control);
void disruption_destroy(struct disruption_controller *disruption);

// Something that the next pass should see has changed; it comes soon.
void disruption_wake(struct disruption_controller *disruption);
