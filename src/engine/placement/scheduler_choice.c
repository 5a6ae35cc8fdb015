#include "engine/placement/scheduler_choice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/reading/pod.h"

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
    const char *workload = pod_controller_uid(pod);
    return workload == NULL ? NULL
                            : bsearch(workload, list->items, list->count, sizeof *list->items,
                                      compare_workloads);
}

static uint32_t rank_of(const struct scheduled_workload *workload, const struct state_node *state)
{
    uint32_t rank = 0;
    while (rank < workload->nodes.count && strcmp(workload->nodes.items[rank], state->name) != 0)
        rank++;
    return rank;
}

static const char *const scored_names[] = {[DIMENSION_CPU] = "cpu", [DIMENSION_MEMORY] = "memory"};
#define SCORED ARRAY_LENGTH(scored_names)

// Free cpu and memory as shares of SCORE_MAX, before and after the pod is added.
struct free_shares {
    int64_t before[SCORED], after[SCORED];
    bool is_whole; // the node has both resources
};

static int64_t share_of(int64_t amount, int64_t total)
{
    assert(total > 0);
    return amount > 0 ? (int64_t)((__int128)amount * SCORE_MAX / total) : 0;
}

static struct free_shares free_shares_of(const struct pass *pass, uint32_t node,
                                         const struct shape *shape)
{
    const struct state_node *state = &pass->problem->nodes.items[node];
    struct free_shares shares = {.is_whole = true};
    for (uint32_t d = 0; d < SCORED; d++) {
        int64_t total = resource_map_get(&state->allocatable, scored_names[d]);
        int64_t left = pass->slots[node].free[d];
        if (total <= 0) {
            shares.is_whole = false;
            continue;
        }
        shares.before[d] = share_of(left, total);
        shares.after[d] = share_of(left - shape->requests[d], total);
    }
    return shares;
}

// LeastAllocated: the mean free share.
static int64_t room_score(const struct free_shares *shares)
{
    return (shares->after[DIMENSION_CPU] + shares->after[DIMENSION_MEMORY]) / (int64_t)SCORED;
}

static int64_t imbalance(const int64_t shares[SCORED])
{
    return llabs(shares[DIMENSION_CPU] - shares[DIMENSION_MEMORY]) / 2;
}

// BalancedAllocation: how much the pod balances cpu and memory use, halved (since Kubernetes 1.36;
// the constant part cancels out).
static int64_t balance_score(const struct free_shares *shares)
{
    return shares->is_whole ? (imbalance(shares->before) - imbalance(shares->after)) / 2 : 0;
}

// Asked for each pod of each node that is considered.
static bool is_owned_by(const struct pod *pod, const char *uid)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    return owner != NULL && owner->uid != NULL && strcmp(owner->uid, uid) == 0;
}

// Pods of the workload on the node, including those that the pass places there.
static uint32_t workload_pods_on(const struct pass *pass, uint32_t node, uint32_t pod)
{
    const struct owner_reference *owner =
        object_controller_owner((const struct object *)pass_pod(pass, pod)->pod);
    uint32_t count = 0;
    if (owner == NULL || owner->uid == NULL)
        return 0;
    list_for_each (other, &pass->problem->nodes.items[node].pods)
        count += is_owned_by(*other, owner->uid);
    const struct pod_list *placed = &pass->slots[node].pods;
    for (uint32_t i = 0; i < placed->count; i++)
        count += is_owned_by(pass_pod(pass, placed->items[i])->pod, owner->uid);
    return count;
}

// kube-scheduler's default preferred spread over nodes, for workloads without spreads of their own.
// It weighs twice as much as free room: from 100 % on a node without pods of the workload down to
// zero on the node with most. The maximum is unknown until all nodes are seen, so this uses 1 / (1
// + pods): the difference of a few pods decides in any case.
static int64_t spread_score(const struct pass *pass, uint32_t node, uint32_t pod)
{
    if (pass_pod(pass, pod)->pod->spec.topology_spread_constraints.count > 0)
        return 0;
    return 2 * SCORE_MAX / (1 + (int64_t)workload_pods_on(pass, node, pod));
}

struct scheduler_choice scheduler_choice_of(const struct pass *pass, uint32_t pod)
{
    static const struct scheduled_workload any = {.uid = ""};
    const struct queued_pod *queued = pass_pod(pass, pod);
    const struct scheduled_workload *workload =
        queued->pod != NULL ? scheduled_find(pass->input.followed, queued->pod) : NULL;
    if (workload == NULL && pass->input.as_scheduled && queued->on != NULL && !queued->placeholder)
        workload = &any;
    return (struct scheduler_choice){.workload = workload, .node = NONE, .pod = pod};
}

void scheduler_choice_consider(struct scheduler_choice *choice, const struct pass *pass,
                               uint32_t node, uint32_t class)
{
    assert(choice->workload != NULL);
    assert(pass->slots[node].usable);
    const struct shape *shape = shape_of(pass->problem, class_at(pass->problem, class));
    uint32_t rank = rank_of(choice->workload, &pass->problem->nodes.items[node]);
    const struct free_shares shares = free_shares_of(pass, node, shape);
    int64_t score =
        room_score(&shares) + balance_score(&shares) + spread_score(pass, node, choice->pod);
    choice->considered++;
    if (choice->node != NONE &&
        (rank > choice->rank || (rank == choice->rank && score <= choice->score)))
        return;
    assert(choice->considered <= CONSIDERED_MAX);
    choice->node = node;
    choice->rank = rank;
    choice->score = score;
}
