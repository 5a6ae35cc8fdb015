#include "engine/packing/pack_greedy.h"

#include <assert.h>

#include "engine/pass/pass_state.h"
#include "engine/placement/pass.h"
#include "engine/placement/pass_run.h"

struct pass *pack_greedy(struct problem *problem)
{
    struct pass_input input = {.queue = problem->pods.queued,
                               .queue_count = problem->pods.queued_count,
                               .reserved_strict = true};
    return pack_greedy_as(problem, &input);
}

struct pass *pack_greedy_as(struct problem *problem, const struct pass_input *input)
{
    assert(input->queue_count <= problem->pods.queued_count);
    struct pass *pass = pass_create(problem, input);
    if (problem->templates.pools_count > 0) // SCH-41
        pass_run(pass);
    return pass;
}
