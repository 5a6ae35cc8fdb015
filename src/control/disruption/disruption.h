// The controller disruption (DIS-10 to DIS-23): it evaluates nodes, validates decisions and takes
// over a predecessor's commands. Emptiness comes first, the other methods follow, each on a worker
// thread (disruption_evaluation.h). No evaluation waits for a command: it leaves the command's
// nodes out (DIS-702).
#pragma once

#include "control/disruption/disruption_parts.h"

struct disruption_controller;
// WAKE_DISRUPTION: a relevant change; the next evaluation comes soon.
struct disruption_controller *disruption_create(const struct disruption_parts *given);
void disruption_destroy(struct disruption_controller *disruption);
