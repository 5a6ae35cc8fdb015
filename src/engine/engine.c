#include "engine/engine.h"

#include "engine/disrupt.h"
#include "engine/finish.h"
#include "engine/pack.h"

struct plan *engine_plan(const struct snapshot *snapshot, const struct plan_options *options,
                         struct error *error)
{
    struct arena *arena = arena_create(65536);
    struct problem *problem = problem_create(snapshot, arena, false);
    if (problem->error.kind != ERROR_NONE) {
        *error = problem->error;
        problem_destroy(problem);
        arena_destroy(arena);
        return NULL;
    }
    struct plan *plan = arena_allocate(arena, sizeof *plan);
    plan->arena = arena;
    struct pass *pass = pack(problem);
    finish_plan(pass, options, plan);
    pass_destroy(pass);
    problem_destroy(problem);
    if (options->disrupt && !disrupt_plan(snapshot, options, plan, error)) {
        plan_destroy(plan);
        return NULL;
    }
    return plan;
}
