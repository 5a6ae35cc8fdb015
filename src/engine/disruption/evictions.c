#include "engine/disruption/evictions.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/pods/pod_facts.h"
#include "engine/problem/problem.h"
#include "engine/problem/state_node.h"
#include "model/reading/pod_workload.h"

struct budget_need { // evictions that a node's drain needs from a budget
    uint32_t budget;
    int64_t pods;
};
struct budget_needs {
    VECTOR(struct budget_need) items; // by budget
};

static void add_need(struct budget_needs *needs, uint32_t budget)
{
    uint32_t at = 0;
    while (at < needs->items.count && needs->items.items[at].budget < budget)
        at++;
    if (at < needs->items.count && needs->items.items[at].budget == budget) {
        needs->items.items[at].pods++;
        return;
    }
    vector_push(&needs->items, (struct budget_need){0});
    memmove(&needs->items.items[at + 1], &needs->items.items[at],
            (needs->items.count - 1 - at) * sizeof *needs->items.items);
    needs->items.items[at] = (struct budget_need){budget, 1};
    assert(at == 0 || needs->items.items[at - 1].budget < budget);
}

// Adds the evictions that the pod needs from budgets, if any (DIS-42, DIS-43, DIS-45).
static void add_needs_of_pod(const struct disruption *disruption, const struct pod *pod,
                             const struct pod_facts *facts, struct pdb_matches *matches,
                             struct budget_needs *needs)
{
    const struct pdb_index *budgets = disruption->problem->pods.budgets;
    if (facts->budget == BUDGET_NONE)
        return;
    pod_facts_budgets(facts, budgets, pod, matches);
    vector_for_each (match, &matches->items) {
        const char *policy = budgets->items[*match]->spec.unhealthy_pod_eviction_policy;
        if ((facts->flags & POD_UNREADY) == 0 || !text_equal(policy, "AlwaysAllow"))
            add_need(needs, *match);
    }
}

// For all pods of the node; the caller frees.
static struct budget_needs find_needs(const struct disruption *disruption,
                                      const struct state_node *state)
{
    struct budget_needs needs = {0};
    struct pdb_matches matches = {0};
    for (uint32_t i = 0; i < state->pods.count; i++)
        add_needs_of_pod(disruption, state->pods.items[i],
                         &disruption->problem->pods.facts[state->running[i]], &matches, &needs);
    vector_free(&matches.items);
    return needs;
}

// For pods of removed nodes that the snapshot already shows on their new nodes; the caller frees.
static struct budget_needs find_needs_of_leaving(const struct disruption *disruption)
{
    struct budget_needs needs = {0};
    struct pdb_matches matches = {0};
    const struct problem *problem = disruption->problem;
    for (uint32_t i = 0; i < problem->nodes.running.count; i++)
        if ((problem->pods.facts[i].flags & POD_LEAVING) != 0)
            add_needs_of_pod(disruption, problem->nodes.running.items[i].pod,
                             &problem->pods.facts[i], &matches, &needs);
    list_for_each (pod, &problem->nodes.others) {
        if (!pod_is_leaving(*pod))
            continue;
        struct pod_facts facts =
            pod_facts_of(problem->pods.budgets, *pod, problem->snapshot->time, &matches);
        add_needs_of_pod(disruption, *pod, &facts, &matches, &needs);
    }
    vector_free(&matches.items);
    return needs;
}

static void ask(struct disruption *disruption, struct budget_needs needs)
{
    vector_for_each (need, &needs.items)
        disruption->evictions_asked[need->budget] += need->pods;
    vector_free(&needs.items);
}

// The evictions that are due before the decision. A terminating pod is not healthy any more, so the
// budget's allowance already counts it.
static void count_running(struct disruption *disruption)
{
    const struct problem *problem = disruption->problem;
    disruption->evictions_asked = arena_allocate_array(
        disruption->arena, problem->pods.budgets->count + 1, sizeof *disruption->evictions_asked);
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        if (disruption_is_going(disruption, &problem->nodes.items[i]))
            ask(disruption, find_needs(disruption, &problem->nodes.items[i]));
    ask(disruption, find_needs_of_leaving(disruption));
}

struct evictions evictions_create(struct disruption *disruption)
{
    struct evictions evictions = {.disruption = disruption};
    if (!disruption->strategy->counts_evictions)
        return evictions;
    uint32_t count = disruption->problem->pods.budgets->count;
    if (disruption->evictions_asked == NULL)
        count_running(disruption);
    evictions.asked = arena_allocate_array(disruption->arena, count + 1, sizeof *evictions.asked);
    memcpy(evictions.asked, disruption->evictions_asked, count * sizeof *evictions.asked);
    if (disruption->problem->settings->workload_guard)
        evictions.guard = workload_guard_create(disruption);
    return evictions;
}

// DIS-34: a terminationGracePeriod overrides PodDisruptionBudgets.
static bool is_waived(const struct disruption_candidate *candidate, bool eventual)
{
    return eventual && candidate->claim->spec.termination_grace_period.text != NULL;
}

static void note_refusal(struct evictions *evictions, const struct disruption_candidate *candidate,
                         const struct budget_need *need)
{
    assert(need->pods > 0);
    assert(evictions->asked[need->budget] > 0);
    const struct pod_disruption_budget *budget =
        evictions->disruption->problem->pods.budgets->items[need->budget];
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    disruption_note_blocked(
        evictions->disruption, candidate, "DIS-760",
        arena_format(scratch,
                     "PodDisruptionBudget %s/%s allows %" PRId64 " disruptions, of which %" PRId64
                     " are asked for by other nodes that go; this one needs %" PRId64,
                     budget->meta.namespace, budget->meta.name, budget->status.disruptions_allowed,
                     evictions->asked[need->budget], need->pods));
}

static bool budgets_take(struct evictions *evictions, const struct disruption_candidate *candidate)
{
    const struct pdb_index *budgets = evictions->disruption->problem->pods.budgets;
    struct budget_needs needs = find_needs(evictions->disruption, candidate->state);
    const struct budget_need *refused = NULL;
    vector_for_each (need, &needs.items) {
        int64_t asked = evictions->asked[need->budget];
        if (refused == NULL && asked != 0 &&
            asked + need->pods > budgets->items[need->budget]->status.disruptions_allowed)
            refused = need;
    }
    if (refused != NULL)
        note_refusal(evictions, candidate, refused);
    else
        vector_for_each (need, &needs.items)
            evictions->asked[need->budget] += need->pods;
    vector_free(&needs.items);
    return refused == NULL;
}

static void budgets_give_back(struct evictions *evictions,
                              const struct disruption_candidate *candidate)
{
    struct budget_needs needs = find_needs(evictions->disruption, candidate->state);
    vector_for_each (need, &needs.items) {
        assert(evictions->asked[need->budget] >= need->pods);
        evictions->asked[need->budget] -= need->pods;
    }
    vector_free(&needs.items);
}

bool evictions_take(struct evictions *evictions, const struct disruption_candidate *candidate,
                    bool eventual)
{
    if (evictions->asked == NULL)
        return true;
    bool waived = is_waived(candidate, eventual);
    if (!waived && !budgets_take(evictions, candidate))
        return false;
    if (evictions->guard == NULL || workload_guard_take(evictions->guard, candidate))
        return true;
    if (!waived)
        budgets_give_back(evictions, candidate);
    return false;
}

void evictions_give_back(struct evictions *evictions, const struct disruption_candidate *candidate,
                         bool eventual)
{
    if (evictions->asked == NULL)
        return;
    if (!is_waived(candidate, eventual))
        budgets_give_back(evictions, candidate);
    if (evictions->guard != NULL)
        workload_guard_give_back(evictions->guard, candidate);
}

bool evictions_allow(struct evictions *evictions, const struct disruption_candidate *candidate,
                     bool eventual)
{
    bool allowed = evictions_take(evictions, candidate, eventual);
    if (allowed)
        evictions_give_back(evictions, candidate, eventual);
    return allowed;
}

// --- the order of a method that takes many -------------------------------------------------------
struct scarcity {   // of a candidate's evictions; zero: all candidates can go at once
    int64_t rounds; // that the scarcest of its budgets needs for all candidates
    int64_t share;  // of such a round, in 1/1000
    int64_t sum;    // the shares of all its budgets
};
struct ranked_candidate {
    struct disruption_candidate *candidate;
    struct scarcity scarcity;
    uint32_t index; // in the list
};

// While all pods are healthy.
static int64_t allowed_at_once(const struct pod_disruption_budget *budget)
{
    int64_t spare = budget->status.expected_pods - budget->status.desired_healthy;
    int64_t most =
        spare > budget->status.disruptions_allowed ? spare : budget->status.disruptions_allowed;
    return most > 0 ? most : 1;
}

static struct scarcity scarcity_of(const struct disruption *disruption,
                                   const struct budget_needs *needs, const int64_t *totals)
{
    struct scarcity worst = {0};
    int64_t sum = 0;
    vector_for_each (need, &needs->items) {
        int64_t allowed = allowed_at_once(disruption->problem->pods.budgets->items[need->budget]);
        struct scarcity scarcity = {.rounds = (totals[need->budget] + allowed - 1) / allowed,
                                    .share = need->pods * 1000 / allowed};
        if (scarcity.rounds > worst.rounds ||
            (scarcity.rounds == worst.rounds && scarcity.share > worst.share))
            worst = scarcity;
        sum += scarcity.share;
    }
    worst.sum = sum;
    return worst.rounds > 1 ? worst : (struct scarcity){0};
}

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked_candidate *x = a, *y = b;
    if ((x->candidate->reschedulable == 0) != (y->candidate->reschedulable == 0))
        return x->candidate->reschedulable == 0 ? -1 : 1;
    if (x->scarcity.rounds != y->scarcity.rounds)
        return x->scarcity.rounds > y->scarcity.rounds ? -1 : 1;
    if (x->scarcity.share != y->scarcity.share)
        return x->scarcity.share > y->scarcity.share ? -1 : 1;
    if (x->scarcity.sum != y->scarcity.sum)
        return x->scarcity.sum < y->scarcity.sum ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

void evictions_order(struct disruption *disruption, candidate_list *list, bool eventual)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    int64_t *totals =
        arena_allocate_array(scratch, disruption->problem->pods.budgets->count + 1, sizeof *totals);
    struct budget_needs *needs = arena_allocate_array(scratch, list->count + 1, sizeof *needs);
    struct ranked_candidate *ranked =
        arena_allocate_array(scratch, list->count + 1, sizeof *ranked);
    for (uint32_t i = 0; i < list->count; i++) {
        if (is_waived(list->items[i], eventual))
            continue;
        needs[i] = find_needs(disruption, list->items[i]->state);
        vector_for_each (need, &needs[i].items)
            totals[need->budget] += need->pods;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        ranked[i] =
            (struct ranked_candidate){.candidate = list->items[i],
                                      .scarcity = scarcity_of(disruption, &needs[i], totals),
                                      .index = i};
        vector_free(&needs[i].items);
    }
    if (list->count > 1)
        qsort(ranked, list->count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < list->count; i++)
        list->items[i] = ranked[i].candidate;
}
