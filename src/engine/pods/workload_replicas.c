#include "engine/pods/workload_replicas.h"

#include <assert.h>

#include "base/text.h"

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
    uintptr_t id = (uintptr_t)map_get(problem->workloads.ids, key);
    if (id == 0) {
        vector_push(&problem->workloads.replicas, 0);
        id = problem->workloads.replicas.count;
        map_set(problem->workloads.ids, key, (void *)id);
    }
    problem->workloads.replicas.items[id - 1]++;
}

// Counts pending and running pods once, on first use.
void workloads_find(struct problem *problem)
{
    if (problem->workloads.ids != NULL)
        return;
    problem->workloads.ids = map_create();
    for (uint32_t i = 0; i < problem->pods.queued_count; i++)
        count_replica(problem, problem->pods.queued[i].pod);
    for (uint32_t i = 0; i < problem->pods.bound_count; i++)
        if (problem->pods.bound[i].counted && !problem->pods.bound[i].scheduled)
            count_replica(problem, problem->pods.bound[i].pod);
}

uint32_t workload_of_pod(struct problem *problem, const struct pod *pod)
{
    workloads_find(problem);
    const char *key = workload_key(problem, pod);
    uintptr_t id = key != NULL ? (uintptr_t)map_get(problem->workloads.ids, key) : 0;
    return id == 0 ? NONE : (uint32_t)id - 1;
}

uint32_t workload_node_share(const struct problem *problem, const struct node_template *template,
                             uint32_t workload)
{
    assert(workload < problem->workloads.replicas.count);
    uint64_t share =
        (uint64_t)problem->workloads.replicas.items[workload] * template->most_share / 100;
    return share > 0 ? (uint32_t)share : 1;
}
