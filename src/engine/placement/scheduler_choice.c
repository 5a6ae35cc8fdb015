#include "engine/placement/scheduler_choice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/pass/scheduler_view.h"
#include "engine/placement/drain_guidance.h"
#include "engine/placement/scheduler_spread.h"
#include "model/reading/pod.h"

#define SCORE_MAX     INT64_C(100)
#define SPREAD_WEIGHT 2

struct scheduler_scratch { // nodes that accept the pod
    uint32_t nodes[CONSIDERED_MAX];
    int64_t scores[CONSIDERED_MAX], spread[CONSIDERED_MAX];
    int64_t room[CONSIDERED_MAX]; // free share with the pod
};

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

// Cpu and memory of a node that the pod joins. kube-scheduler rounds every score down to one of a
// hundred, so that many nodes are equal.
struct node_use {
    const int64_t *total;
    int64_t left_before[SCORED_DIMENSIONS], left_after[SCORED_DIMENSIONS];
};

static struct node_use node_use_of(const struct pass *pass, uint32_t node,
                                   const struct shape *shape)
{
    struct node_use use = {.total = pass->input.view->total[node]};
    for (uint32_t d = 0; d < SCORED_DIMENSIONS; d++) {
        use.left_before[d] = pass->slots[node].free[d];
        use.left_after[d] = use.left_before[d] - shape->requests[d];
    }
    return use;
}

// LeastAllocated: the mean free share.
static int64_t room_score(const struct node_use *use)
{
    int64_t sum = 0, resources = 0;
    for (uint32_t d = 0; d < SCORED_DIMENSIONS; d++) {
        if (use->total[d] <= 0)
            continue;
        int64_t left = use->left_after[d] > 0 ? use->left_after[d] : 0;
        sum += left <= INT64_MAX / SCORE_MAX ? left * SCORE_MAX / use->total[d]
                                             : left / (use->total[d] / SCORE_MAX);
        resources++;
    }
    return resources > 0 ? sum / resources : 0;
}

static double share_of(int64_t left, int64_t total)
{
    return left > 0 ? (double)left / (double)total : 0;
}

// SCORE_MAX if cpu and memory are used alike, half of it if one is full and the other empty.
static int64_t balance_of(const struct node_use *use, const int64_t left[SCORED_DIMENSIONS])
{
    double difference = share_of(left[DIMENSION_CPU], use->total[DIMENSION_CPU]) -
                        share_of(left[DIMENSION_MEMORY], use->total[DIMENSION_MEMORY]);
    double deviation = (difference < 0 ? -difference : difference) / 2;
    return (int64_t)((1 - deviation) * (double)SCORE_MAX);
}

// BalancedAllocation: how much the pod balances cpu and memory use, halved (since Kubernetes 1.36).
static int64_t balance_score(const struct node_use *use)
{
    if (use->total[DIMENSION_CPU] <= 0 || use->total[DIMENSION_MEMORY] <= 0)
        return SCORE_MAX;
    int64_t change = balance_of(use, use->left_after) - balance_of(use, use->left_before);
    return SCORE_MAX / 2 + (SCORE_MAX / 2 + change) / 2;
}

struct scheduler_choice scheduler_choice_of(const struct pass *pass, uint32_t pod)
{
    static const struct scheduled_workload any = {.uid = ""};
    const struct queued_pod *queued = pass_pod(pass, pod);
    const struct scheduled_workload *workload =
        queued->pod != NULL ? scheduled_find(pass->input.followed, queued->pod) : NULL;
    if (workload == NULL && pass->input.as_scheduled && queued->on != NULL && !queued->placeholder)
        workload = &any;
    bool is_led = workload != NULL && pass->input.guided && queued->on != NULL &&
                  queued->pod != NULL && pod_is_led(queued->pod);
    return (struct scheduler_choice){.workload = workload, .pod = pod, .is_led = is_led};
}

static struct scheduler_scratch *scratch_of(struct pass *pass)
{
    if (pass->scheduler == NULL)
        pass->scheduler = arena_allocate(pass->arena, sizeof *pass->scheduler);
    return pass->scheduler;
}

bool scheduler_choice_consider(struct scheduler_choice *choice, struct pass *pass, uint32_t node,
                               uint32_t class)
{
    assert(choice->workload != NULL);
    assert(pass->slots[node].usable);
    assert(choice->count < CONSIDERED_MAX);
    struct scheduler_scratch *scratch = scratch_of(pass);
    const struct node_use use =
        node_use_of(pass, node, shape_of(pass->problem, class_at(pass->problem, class)));
    scratch->nodes[choice->count] = node;
    scratch->room[choice->count] = room_score(&use);
    scratch->scores[choice->count++] = room_score(&use) + balance_score(&use);
    return choice->count == CONSIDERED_MAX;
}

// --- the best node -------------------------------------------------------------------------------
static void add_spread(const struct scheduler_choice *choice, struct pass *pass)
{
    struct scheduler_scratch *scratch = pass->scheduler;
    struct spread_counts *counts = spread_counts_begin(pass, choice->pod);
    if (counts == NULL)
        return;
    spread_counts_score(counts, scratch->nodes, choice->count, SCORE_MAX, scratch->spread);
    spread_counts_end(counts);
    for (uint32_t i = 0; i < choice->count; i++)
        scratch->scores[i] += SPREAD_WEIGHT * scratch->spread[i];
}

// kube-scheduler draws lots among the best nodes; a simulation takes the first, or draws.
static uint64_t lot_of(const struct scheduler_choice *choice, const struct pass *pass,
                       uint32_t node)
{
    uint64_t pod = hash_mix(pass->input.lots, pass_pod(pass, choice->pod)->origin);
    return pass->input.lots == 0 ? 0 : hash_mix(pod, node);
}

// --- the fullest node within reach ---------------------------------------------------------------
// The highest scores of nodes that get the taint and of others.
struct high_scores {
    uint32_t best_of[2];
    int64_t highest[2], second[2];
};

static struct high_scores high_scores_of(const struct scheduler_choice *choice,
                                         const struct pass *pass)
{
    struct high_scores high = {.best_of = {NONE, NONE},
                               .highest = {INT64_MIN / 2, INT64_MIN / 2},
                               .second = {INT64_MIN / 2, INT64_MIN / 2}};
    for (uint32_t i = 0; i < choice->count; i++) {
        bool can = node_can_get_taint(&pass->problem->nodes.items[pass->scheduler->nodes[i]]);
        int64_t score = pass->scheduler->scores[i];
        if (score > high.highest[can]) {
            high.second[can] = high.highest[can];
            high.highest[can] = score;
            high.best_of[can] = i;
        } else if (score > high.second[can]) {
            high.second[can] = score;
        }
    }
    return high;
}

// kube-scheduler chooses this node, if all others that can get the taint have it.
static bool is_within_reach(const struct high_scores *high, int64_t score, uint32_t i)
{
    int64_t tainted = high->best_of[true] == i ? high->second[true] : high->highest[true];
    int64_t untainted = high->best_of[false] == i ? high->second[false] : high->highest[false];
    return score + GUIDE_SCORE > tainted && score > untainted;
}

static uint32_t fullest_within_reach(const struct scheduler_choice *choice, struct pass *pass)
{
    const struct scheduler_scratch *scratch = pass->scheduler;
    uint32_t best = NONE;
    struct high_scores high = high_scores_of(choice, pass);
    for (uint32_t i = 0; i < choice->count; i++)
        if (is_within_reach(&high, scratch->scores[i], i) &&
            (best == NONE || scratch->room[i] < scratch->room[best]))
            best = i;
    return best != NONE ? scratch->nodes[best] : NONE;
}

uint32_t scheduler_choice_best(const struct scheduler_choice *choice, struct pass *pass)
{
    uint32_t best = NONE, best_rank = 0;
    int64_t best_score = 0;
    uint64_t best_lot = 0;
    if (choice->count == 0)
        return NONE;
    add_spread(choice, pass);
    if (choice->is_led) {
        uint32_t led = fullest_within_reach(choice, pass);
        if (led != NONE)
            return led;
    }
    for (uint32_t i = 0; i < choice->count; i++) {
        uint32_t node = pass->scheduler->nodes[i];
        uint32_t rank = rank_of(choice->workload, &pass->problem->nodes.items[node]);
        int64_t score = pass->scheduler->scores[i];
        uint64_t lot = lot_of(choice, pass, node);
        bool is_better = best == NONE          ? true
                         : rank != best_rank   ? rank < best_rank
                         : score != best_score ? score > best_score
                                               : lot > best_lot;
        if (!is_better)
            continue;
        best = node;
        best_rank = rank;
        best_score = score;
        best_lot = lot;
    }
    return best;
}
