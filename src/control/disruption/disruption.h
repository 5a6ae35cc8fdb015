// The controller disruption (DIS-10 to DIS-23): looks for nodes to disrupt, validates what was
// decided, takes over what a predecessor left. Emptiness comes first, the other methods follow,
// each on a worker thread (disruption_evaluation.h). Nothing waits for a command: the next look
// simply leaves its nodes out (DIS-702).
#pragma once

#include "control/disruption/disruption_parts.h"

struct disruption_controller;
// WAKE_DISRUPTION: something that the next look should see has changed; it comes soon.
struct disruption_controller *disruption_create(const struct disruption_parts *given);
void disruption_destroy(struct disruption_controller *disruption);
