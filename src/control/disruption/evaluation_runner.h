// An evaluation on a worker thread (disruption_evaluation.h), one at a time for each runner.
// Emptiness has a runner of its own, so that a long search for savings does not delay it.
#pragma once

#include "control/disruption/disruption_evaluation.h"
#include "control/disruption/disruption_metrics.h"
#include "control/disruption/pod_waves.h"

// Of a runner, and of the schedules that use one. All borrowed; `finished` is called on the loop's
// thread when an evaluation is to be carried out.
struct evaluation_options {
    const struct disruption_parts *parts;
    struct disruption_metrics *metrics;
    struct pod_waves *waves;
    void (*finished)(void *context);
    void *context;
};

struct evaluation_runner;
struct evaluation_runner *evaluation_runner_create(const struct evaluation_options *options);
// An evaluation on the worker thread goes on, and frees itself. NULL is fine.
void evaluation_runner_destroy(struct evaluation_runner *runner);

// Takes the evaluation over. None may be running, or finished and not taken.
void evaluation_runner_start(struct evaluation_runner *runner,
                             struct disruption_evaluation *evaluation);
bool evaluation_runner_is_running(const struct evaluation_runner *runner);
// Returns the finished evaluation to the caller; NULL: there is none.
struct disruption_evaluation *evaluation_runner_take(struct evaluation_runner *runner);
