#include "control/disruption/evaluation_runner.h"

#include <assert.h>
#include <stdlib.h>

struct evaluation_job {               // on a worker thread; outlives the controller if it must
    struct evaluation_runner *runner; // NULL: it was destroyed
    struct disruption_evaluation *evaluation;
};

struct evaluation_runner {
    struct evaluation_options options;
    struct evaluation_job *job;
    struct disruption_evaluation *done; // finished, to be carried out
};

struct evaluation_runner *evaluation_runner_create(const struct evaluation_options *options)
{
    assert(options->finished != NULL);
    struct evaluation_runner *runner = memory_allocate(sizeof *runner);
    runner->options = *options;
    return runner;
}

void evaluation_runner_destroy(struct evaluation_runner *runner)
{
    if (runner == NULL)
        return;
    if (runner->job != NULL)
        runner->job->runner = NULL; // frees itself and its evaluation when it is done
    evaluation_destroy(runner->done);
    free(runner);
}

static void job_work(void *context)
{
    evaluation_work(((struct evaluation_job *)context)->evaluation);
}

static void job_done(void *context)
{
    struct evaluation_job *job = context;
    struct evaluation_runner *runner = job->runner;
    if (runner == NULL) {
        evaluation_destroy(job->evaluation);
    } else {
        assert(runner->job == job);
        runner->job = NULL;
        runner->done = job->evaluation;
        runner->options.finished(runner->options.context);
    }
    free(job);
}

void evaluation_runner_start(struct evaluation_runner *runner,
                             struct disruption_evaluation *evaluation)
{
    assert(evaluation != NULL);
    assert(runner->job == NULL && runner->done == NULL);
    struct evaluation_job *job = memory_allocate(sizeof *job);
    *job = (struct evaluation_job){runner, evaluation};
    runner->job = job;
    loop_offload(runner->options.parts->control->manager.loop, job_work, job_done, job);
}

bool evaluation_runner_is_running(const struct evaluation_runner *runner)
{
    return runner->job != NULL;
}

struct disruption_evaluation *evaluation_runner_take(struct evaluation_runner *runner)
{
    struct disruption_evaluation *evaluation = runner->done;
    runner->done = NULL;
    return evaluation;
}
