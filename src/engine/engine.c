#include "engine/engine.h"

#include <assert.h>

#include "engine/compile/compile.h"
#include "engine/disruption_methods.h"
#include "engine/explain/plan_builder.h"
#include "engine/packing/pack.h"
#include "engine/placement/effective_zones.h"
#include "engine/placement/pass.h"
#include "engine/problem/disruption_inputs.h"

static struct plan *plan_of(struct problem *problem, const struct plan_options *options,
                            struct arena *arena)
{
    assert(problem->error.kind == ERROR_NONE);
    struct plan *plan = arena_allocate(arena, sizeof *plan);
    plan->arena = arena;
    if (options->zones)
        effective_zones_count(problem, plan);
    struct pass *pass = pack(problem);
    plan_build(pass, options, plan);
    pass_destroy(pass);
    return plan;
}

static struct plan *fail(struct problem *problem, struct arena *arena, struct error *error)
{
    assert(problem->error.kind != ERROR_NONE);
    *error = problem->error;
    problem_destroy(problem);
    arena_destroy(arena);
    return NULL;
}

// Without pending pods one problem serves both decisions (DIS-703). With pending pods, movable pods
// must not change the provisioning plan, so it gets a problem without them.
static struct plan *plan_with_disruption(const struct snapshot *snapshot,
                                         const struct plan_options *options, struct arena *arena,
                                         struct error *error)
{
    assert(options->disrupt);
    struct problem *problem = problem_create(snapshot, arena, true);
    if (problem->error.kind != ERROR_NONE)
        return fail(problem, arena, error);
    struct plan *plan;
    // Only disruption uses the prices of the last hours (DIS-750).
    bool other_prices = options->inputs != NULL && options->inputs->spot_prices != NULL;
    if (problem->pods.queued_count == 0 && !other_prices) {
        plan = plan_of(problem, options, arena);
    } else {
        struct problem *pending = problem_create(snapshot, arena, false);
        if (pending->error.kind != ERROR_NONE) {
            problem_destroy(problem);
            return fail(pending, arena, error);
        }
        plan = plan_of(pending, options, arena);
        problem_destroy(pending);
    }
    disruption_plan(problem, options, plan);
    problem_destroy(problem);
    return plan;
}

struct plan *engine_plan(const struct snapshot *snapshot, const struct plan_options *options,
                         struct error *error)
{
    struct arena *arena = arena_create(65536);
    if (options->disrupt)
        return plan_with_disruption(snapshot, options, arena, error);
    struct problem *problem = problem_create(snapshot, arena, false);
    if (problem->error.kind != ERROR_NONE)
        return fail(problem, arena, error);
    struct plan *plan = plan_of(problem, options, arena);
    problem_destroy(problem);
    return plan;
}
