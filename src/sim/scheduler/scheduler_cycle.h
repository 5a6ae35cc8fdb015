// A scheduling cycle: one pod, all nodes that pass, the best of them.
#pragma once

#include "sim/scheduler/scheduler_queue.h"

void scheduler_run_cycle(void *scheduler);
void scheduler_forget_failures(struct scheduler *scheduler);
