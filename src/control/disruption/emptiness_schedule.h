// When the disruption controller looks for empty nodes (disruption_emptiness.h): soon after a
// change, and when a blocker ends by itself. A look costs as much as the cluster is large, so the
// pause between two grows with it.
#pragma once

#include "control/disruption/evaluation_runner.h"

struct emptiness_schedule;
struct emptiness_schedule *emptiness_schedule_create(const struct evaluation_options *options);
// A look on the worker thread goes on, and frees itself.
void emptiness_schedule_destroy(struct emptiness_schedule *schedule);

// Something has changed that the next look should see.
void emptiness_schedule_touch(struct emptiness_schedule *schedule);
// Starts a look if it is due. When to come back, monotonic; NS_NEVER: `finished` will be called.
int64_t emptiness_schedule_start(struct emptiness_schedule *schedule);
bool emptiness_schedule_is_running(const struct emptiness_schedule *schedule);
// Begins or validates commands, if a look has finished.
void emptiness_schedule_carry_out(struct emptiness_schedule *schedule);
