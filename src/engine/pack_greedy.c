#include "engine/pack.h"

struct pass *pack_greedy(struct problem *problem)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct pass_input input = {.queue = problem->queued,
                               .queue_count = problem->queued_count,
                               .scheduled = bitset_create(scratch, problem->bound_count),
                               .reserved_strict = true};
    for (uint32_t i = 0; i < problem->bound_count; i++)
        if (problem->bound[i].scheduled)
            bitset_set(input.scheduled, i);
    struct pass *pass = pass_create(problem, &input);
    if (problem->pools_count > 0) // SCH-41
        pass_run(pass);
    return pass;
}
