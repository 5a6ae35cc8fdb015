// A scheduling cycle: one pod, the feasible nodes, and the best of those.
#pragma once

#include "sim/scheduler/scheduler_queue.h"

void scheduler_run_cycle(void *scheduler);
void scheduler_forget_failures(struct scheduler *scheduler);
