// The schedule of emptiness evaluations (disruption_emptiness.h): soon after a change, and when a
// blocker ends by itself. The cost of an evaluation grows with the cluster, and so does the pause
// between two.
#pragma once

#include "control/disruption/evaluation_runner.h"

struct emptiness_schedule;
struct emptiness_schedule *emptiness_schedule_create(const struct evaluation_options *options);
// An evaluation on the worker thread goes on, and frees itself.
void emptiness_schedule_destroy(struct emptiness_schedule *schedule);

// A change that the next evaluation should see.
void emptiness_schedule_touch(struct emptiness_schedule *schedule);
// Starts an evaluation if it is due. Returns the next call, monotonic; NS_NEVER: at `finished`.
int64_t emptiness_schedule_start(struct emptiness_schedule *schedule);
bool emptiness_schedule_is_running(const struct emptiness_schedule *schedule);
// Starts or validates commands, if an evaluation has finished. True: one had.
bool emptiness_schedule_carry_out(struct emptiness_schedule *schedule);
