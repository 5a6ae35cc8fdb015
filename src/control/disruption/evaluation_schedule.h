// When the disruption controller evaluates the methods other than emptiness
// (disruption_evaluation.h): when the cluster has been quiet for a moment after a
// change, but not for ever, and so that most of the time the machine is left to others. A check of
// commands that are due goes first.
#pragma once

#include "control/disruption/evaluation_runner.h"

struct evaluation_schedule;
struct evaluation_schedule *evaluation_schedule_create(const struct evaluation_options *options);
// An evaluation on the worker thread goes on, and frees itself.
void evaluation_schedule_destroy(struct evaluation_schedule *schedule);

// Something that evaluations depend on has changed, and does not tell so by itself.
void evaluation_schedule_touch(struct evaluation_schedule *schedule);
// Starts an evaluation or a check if it is due. When to come back, monotonic; NS_NEVER: `finished`
// will be called.
int64_t evaluation_schedule_start(struct evaluation_schedule *schedule);
bool evaluation_schedule_is_running(const struct evaluation_schedule *schedule);
// Begins or validates the commands that were decided, if an evaluation has finished.
void evaluation_schedule_carry_out(struct evaluation_schedule *schedule);
