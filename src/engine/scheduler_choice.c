#include "engine/scheduler_choice.h"

#include <stdlib.h>
#include <string.h>

#define SCORE_MAX 1000000

static int compare_workloads(const void *key, const void *item)
{
    return strcmp(key, ((const struct scheduled_workload *)item)->uid);
}

const struct scheduled_workload *scheduled_find(const struct scheduled_list *list,
                                                const struct pod *pod)
{
    if (list == NULL || list->count == 0)
        return NULL;
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    return owner == NULL || owner->uid == NULL
               ? NULL
               : bsearch(owner->uid, list->items, list->count, sizeof *list->items,
                         compare_workloads);
}

static uint32_t rank_of(const struct scheduled_workload *workload, const struct state_node *state)
{
    uint32_t rank = 0;
    while (rank < workload->nodes.count && strcmp(workload->nodes.items[rank], state->name) != 0)
        rank++;
    return rank;
}

// As kube-scheduler's LeastAllocated does: what is left of cpu and memory, each as a share.
static int64_t score_of(const struct pass *pass, uint32_t node, const struct shape *shape)
{
    static const char *const names[] = {[DIMENSION_CPU] = "cpu", [DIMENSION_MEMORY] = "memory"};
    const struct state_node *state = &pass->problem->nodes.items[node];
    int64_t score = 0;
    for (uint32_t d = 0; d < ARRAY_LENGTH(names); d++) {
        int64_t total = resource_map_get(&state->allocatable, names[d]);
        int64_t left = pass->slots[node].free[d] - shape->requests[d];
        if (total > 0 && left > 0)
            score += (int64_t)((__int128)left * SCORE_MAX / total);
    }
    return score;
}

void scheduler_choice_consider(struct scheduler_choice *choice, const struct pass *pass,
                               uint32_t node, uint32_t class)
{
    const struct shape *shape = shape_of(pass->problem, class_at(pass->problem, class));
    uint32_t rank = rank_of(choice->workload, &pass->problem->nodes.items[node]);
    int64_t score = score_of(pass, node, shape);
    if (choice->node != NONE &&
        (rank > choice->rank || (rank == choice->rank && score <= choice->score)))
        return;
    choice->node = node;
    choice->rank = rank;
    choice->score = score;
}
