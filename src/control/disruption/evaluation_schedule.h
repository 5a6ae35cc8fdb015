// The schedule of the methods other than emptiness (disruption_evaluation.h): an evaluation waits
// until the cluster has been quiet for a moment after a change, with a limit, and uses a small
// share of the time. It also waits for the cluster to come to rest (pod_waves.h); nodes that are
// due to go, drifted or expiring, are evaluated alone meanwhile. The validation of due commands
// goes first.
#pragma once

#include "control/disruption/evaluation_runner.h"

struct evaluation_schedule;
struct evaluation_schedule *evaluation_schedule_create(const struct evaluation_options *options);
// An evaluation on the worker thread goes on, and frees itself.
void evaluation_schedule_destroy(struct evaluation_schedule *schedule);

// A change that evaluations depend on and do not notice by themselves.
void evaluation_schedule_touch(struct evaluation_schedule *schedule);
// Starts an evaluation or a validation if it is due. Returns the next call, monotonic; NS_NEVER: at
// `finished`.
int64_t evaluation_schedule_start(struct evaluation_schedule *schedule);
bool evaluation_schedule_is_running(const struct evaluation_schedule *schedule);
// Starts or validates the decided commands, if an evaluation has finished.
void evaluation_schedule_carry_out(struct evaluation_schedule *schedule);
