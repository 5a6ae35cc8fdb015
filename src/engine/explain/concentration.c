#include "engine/explain/concentration.h"

#include <stdlib.h>

#include "engine/pods/workload_replicas.h"
#include "model/reading/pool_annotations.h"

#define REPLICAS_WORTH_A_WARNING 4
#define WARNINGS_MAX             20

static bool is_concentrated(const struct problem *problem, uint32_t workload, uint32_t count)
{
    uint32_t replicas = problem->workloads.replicas.items[workload];
    return replicas >= REPLICAS_WORTH_A_WARNING && 2 * count > replicas;
}

static void warn_about(struct pass *pass, const struct claim *claim, uint32_t *counts,
                       struct plan *plan)
{
    struct problem *problem = pass->problem;
    for (uint32_t i = 0; i < claim->pods.count; i++) {
        uint32_t workload = workload_of_pod(problem, pass_pod(pass, claim->pods.items[i])->pod);
        if (workload != NONE)
            counts[workload]++;
    }
    for (uint32_t i = 0; i < claim->pods.count; i++) {
        const struct pod *pod = pass_pod(pass, claim->pods.items[i])->pod;
        uint32_t workload = workload_of_pod(problem, pod);
        if (workload == NONE || counts[workload] == 0)
            continue;
        if (is_concentrated(problem, workload, counts[workload]) &&
            plan->warnings.count < WARNINGS_MAX) {
            const struct owner_reference *owner =
                object_controller_owner((const struct object *)pod);
            plan->warnings.items[plan->warnings.count++] = arena_format(
                plan->arena,
                "one new node of NodePool %s would carry %u of the %u replicas of %s %s/%s; "
                "annotation " ANNOTATION_MAX_SHARE_PER_WORKLOAD
                " on the NodePool, or a topology spread constraint, bounds that",
                claim->template->pool->meta.name, counts[workload],
                problem->workloads.replicas.items[workload], owner->kind, pod->meta.namespace,
                owner->name);
        }
        counts[workload] = 0;
    }
}

static bool may_be_concentrated(const struct claim *claim)
{
    return 2 * claim->pods.count > REPLICAS_WORTH_A_WARNING;
}

void concentration_warn(struct pass *pass, struct plan *plan)
{
    bool any = false;
    vector_for_each (claim, &pass->claims)
        any = any || may_be_concentrated(*claim);
    if (!any)
        return;
    workloads_find(pass->problem);
    uint32_t *counts =
        memory_allocate_array(pass->problem->workloads.replicas.count + 1, sizeof *counts);
    plan->warnings.items =
        arena_allocate_array(plan->arena, WARNINGS_MAX, sizeof *plan->warnings.items);
    vector_for_each (claim, &pass->claims)
        if (may_be_concentrated(*claim))
            warn_about(pass, *claim, counts, plan);
    free(counts);
}
