#include "engine/problem/node_bounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/placement/pass.h"
#include "engine/placement/place_claim.h"
#include "engine/topology/topology.h"
#include "model/reading/pool_annotations.h"

#define REPLICAS_WORTH_A_WARNING 4
#define WARNINGS_MAX             20

// --- the annotations -----------------------------------------------------------------------------

// NULL: not there, or not readable (whoever wrote it is told elsewhere).
static const char *readable(const struct node_template *template, const char *key)
{
    const char *value = string_map_get(&template->pool->meta.annotations, key);
    return value != NULL && pool_annotation_problem(key, value) == NULL ? value : NULL;
}

void node_bounds_read(struct problem *problem, struct node_template *template)
{
    struct error error;
    const char *policy = readable(template, ANNOTATION_PACKING_POLICY);
    template->lowest_price = policy != NULL
                                 ? strcmp(policy, "LowestPrice") == 0
                                 : problem->settings->packing_policy == PACKING_LOWEST_PRICE;
    template->most_pods = template->most_cpu = INT64_MAX;
    template->most_share = 100;
    const char *pods = readable(template, ANNOTATION_MAX_PODS_PER_NODE);
    if (pods != NULL && !text_parse_int64(pods, &template->most_pods))
        template->most_pods = INT64_MAX;
    const char *cpu = readable(template, ANNOTATION_MAX_CPU_PER_NODE);
    if (cpu != NULL && !quantity_parse("cpu", cpu, &template->most_cpu, &error))
        template->most_cpu = INT64_MAX;
    const char *share = readable(template, ANNOTATION_MAX_SHARE_PER_WORKLOAD);
    if (share != NULL)
        template->most_share = (uint32_t)strtoul(share, NULL, 10);
    problem->shares_bound = problem->shares_bound || template->most_share < 100;
}

void node_bounds_drop_rows(struct node_template *template)
{
    if (template->most_cpu == INT64_MAX)
        return;
    bitset_for_each (r, template->rows)
        if (template->table->rows[r].capacity[DIMENSION_CPU] > template->most_cpu)
            bitset_clear(template->rows, r);
}

bool node_bounds_allow(struct pass *pass, const struct claim *claim, const struct shape *shape)
{
    const struct node_template *template = claim->template;
    if (quantity_add(claim->requests[DIMENSION_PODS], shape->requests[DIMENSION_PODS]) <=
        template->most_pods)
        return true;
    if (refusal_begin(pass, REASON_INSUFFICIENT_RESOURCES) != NULL)
        text_format(pass->why,
                    "exceeds what annotation " ANNOTATION_MAX_PODS_PER_NODE
                    " allows one node (NodePool=%s)",
                    template->pool->meta.name);
    return false;
}

// --- workloads -----------------------------------------------------------------------------------

static const char *workload_key(struct problem *problem, const struct pod *pod)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    if (owner == NULL || owner->kind == NULL || owner->name == NULL)
        return NULL;
    text_clear(&problem->scratch);
    text_add(&problem->scratch, owner->kind);
    text_add_char(&problem->scratch, '/');
    text_add(&problem->scratch, pod->meta.namespace);
    text_add_char(&problem->scratch, '/');
    text_add(&problem->scratch, owner->name);
    return problem->scratch.data;
}

static void count_replica(struct problem *problem, const struct pod *pod)
{
    const char *key = workload_key(problem, pod);
    if (key == NULL)
        return;
    uintptr_t id = (uintptr_t)map_get(problem->workload_ids, key);
    if (id == 0) {
        vector_push(&problem->replicas, 0);
        id = problem->replicas.count;
        map_set(problem->workload_ids, key, (void *)id);
    }
    problem->replicas.items[id - 1]++;
}

// Counted once, when first asked for: pods that wait and pods that run.
static void find_workloads(struct problem *problem)
{
    if (problem->workload_ids != NULL)
        return;
    problem->workload_ids = map_create();
    for (uint32_t i = 0; i < problem->queued_count; i++)
        count_replica(problem, problem->queued[i].pod);
    for (uint32_t i = 0; i < problem->bound_count; i++)
        if (problem->bound[i].counted && !problem->bound[i].scheduled)
            count_replica(problem, problem->bound[i].pod);
}

uint32_t node_bounds_workload(struct problem *problem, const struct pod *pod)
{
    find_workloads(problem);
    const char *key = workload_key(problem, pod);
    uintptr_t id = key != NULL ? (uintptr_t)map_get(problem->workload_ids, key) : 0;
    return id == 0 ? NONE : (uint32_t)id - 1;
}

uint32_t node_bounds_share(const struct problem *problem, const struct node_template *template,
                           uint32_t workload)
{
    uint64_t share = (uint64_t)problem->replicas.items[workload] * template->most_share / 100;
    return share > 0 ? (uint32_t)share : 1;
}

static struct claim_share *share_of(const struct claim *claim, uint32_t workload)
{
    vector_for_each (share, &claim->shares)
        if (share->workload == workload)
            return share;
    return NULL;
}

bool node_bounds_allow_share(struct pass *pass, const struct claim *claim, uint32_t pod)
{
    if (claim->template->most_share >= 100)
        return true;
    uint32_t workload = node_bounds_workload(pass->problem, pass_pod(pass, pod)->pod);
    const struct claim_share *share = workload == NONE ? NULL : share_of(claim, workload);
    return share == NULL ||
           share->count < node_bounds_share(pass->problem, claim->template, workload);
}

void node_bounds_take(struct pass *pass, struct claim *claim, uint32_t pod)
{
    if (claim->template->most_share >= 100)
        return;
    uint32_t workload = node_bounds_workload(pass->problem, pass_pod(pass, pod)->pod);
    if (workload == NONE)
        return;
    struct claim_share *share = share_of(claim, workload);
    if (share != NULL)
        share->count++;
    else
        vector_push(&claim->shares, (struct claim_share){workload, 1});
}

// --- the warning ---------------------------------------------------------------------------------

static bool is_concentrated(const struct problem *problem, uint32_t workload, uint32_t count)
{
    uint32_t replicas = problem->replicas.items[workload];
    return replicas >= REPLICAS_WORTH_A_WARNING && 2 * count > replicas;
}

static void warn_about(struct pass *pass, const struct claim *claim, uint32_t *counts,
                       struct plan *plan)
{
    struct problem *problem = pass->problem;
    for (uint32_t i = 0; i < claim->pods.count; i++) {
        uint32_t workload =
            node_bounds_workload(problem, pass_pod(pass, claim->pods.items[i])->pod);
        if (workload != NONE)
            counts[workload]++;
    }
    for (uint32_t i = 0; i < claim->pods.count; i++) {
        const struct pod *pod = pass_pod(pass, claim->pods.items[i])->pod;
        uint32_t workload = node_bounds_workload(problem, pod);
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
                problem->replicas.items[workload], owner->kind, pod->meta.namespace, owner->name);
        }
        counts[workload] = 0;
    }
}

static bool is_worth_a_look(const struct claim *claim)
{
    return 2 * claim->pods.count > REPLICAS_WORTH_A_WARNING;
}

void node_bounds_warn(struct pass *pass, struct plan *plan)
{
    bool any = false;
    vector_for_each (claim, &pass->claims)
        any = any || is_worth_a_look(*claim);
    if (!any)
        return;
    find_workloads(pass->problem);
    uint32_t *counts = memory_allocate_array(pass->problem->replicas.count + 1, sizeof *counts);
    plan->warnings.items =
        arena_allocate_array(plan->arena, WARNINGS_MAX, sizeof *plan->warnings.items);
    vector_for_each (claim, &pass->claims)
        if (is_worth_a_look(*claim))
            warn_about(pass, *claim, counts, plan);
    free(counts);
}
