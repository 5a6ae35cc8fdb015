#include "engine/evictions.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "engine/problem.h"
#include "engine/state_node.h"

static uint32_t budgets_count(const struct disruption *disruption)
{
    return disruption->snapshot->objects[KIND_POD_DISRUPTION_BUDGET].count;
}

static const struct pod_disruption_budget *budget_at(const struct disruption *disruption,
                                                     uint32_t index)
{
    return (const struct pod_disruption_budget *)disruption->snapshot
        ->objects[KIND_POD_DISRUPTION_BUDGET]
        .items[index];
}

// The pods whose eviction counts against the budget (DIS-42, DIS-43, DIS-45).
static int64_t count_pods(const struct disruption *disruption, const struct state_node *state,
                          const struct pod_disruption_budget *budget)
{
    int64_t count = 0;
    bool lenient = text_equal(budget->spec.unhealthy_pod_eviction_policy, "AlwaysAllow");
    list_for_each (pod, &state->pods)
        if (text_equal((*pod)->meta.namespace, budget->meta.namespace) &&
            pod_can_be_evicted(*pod, disruption->snapshot->time) &&
            !(lenient && pod_is_unready(*pod)) &&
            label_selector_matches(budget->spec.selector, &(*pod)->meta.labels))
            count++;
    return count;
}

// What is asked of the budgets before anything is decided. A pod that is already terminating is no
// longer healthy and so counted in what the budget allows.
static void count_running(struct disruption *disruption)
{
    const struct problem *problem = disruption->problem;
    uint32_t count = budgets_count(disruption);
    disruption->evictions_asked =
        arena_allocate_array(disruption->arena, count + 1, sizeof *disruption->evictions_asked);
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct state_node *state = &problem->nodes.items[i];
        if (!disruption_is_going(disruption, state))
            continue;
        for (uint32_t b = 0; b < count; b++)
            disruption->evictions_asked[b] +=
                count_pods(disruption, state, budget_at(disruption, b));
    }
}

struct evictions evictions_create(struct disruption *disruption)
{
    struct evictions evictions = {.disruption = disruption};
    if (!disruption->better)
        return evictions;
    uint32_t count = budgets_count(disruption);
    if (disruption->evictions_asked == NULL)
        count_running(disruption);
    evictions.asked =
        arena_allocate_array(disruption->arena, count + 1, sizeof *evictions.asked);
    memcpy(evictions.asked, disruption->evictions_asked, count * sizeof *evictions.asked);
    if (disruption->problem->settings->workload_guard)
        evictions.guard = workload_guard_create(disruption);
    return evictions;
}

// DIS-34: a grace period overrules the budgets of pods.
static bool is_waived(const struct disruption_candidate *candidate, bool eventual)
{
    return eventual && candidate->claim->spec.termination_grace_period.text != NULL;
}

static bool budgets_take(struct evictions *evictions, const struct disruption_candidate *candidate)
{
    struct disruption *disruption = evictions->disruption;
    uint32_t count = budgets_count(disruption);
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    int64_t *needed = arena_allocate_array(scratch, count + 1, sizeof *needed);
    for (uint32_t i = 0; i < count; i++) {
        const struct pod_disruption_budget *budget = budget_at(disruption, i);
        int64_t asked = evictions->asked[i], allowed = budget->status.disruptions_allowed;
        needed[i] = count_pods(disruption, candidate->state, budget);
        if (needed[i] == 0 || asked == 0 || asked + needed[i] <= allowed)
            continue;
        disruption_verdict(
            disruption, candidate, "DIS-760",
            arena_format(scratch,
                         "PodDisruptionBudget %s/%s allows %" PRId64 " disruptions, of which %"
                         PRId64 " are asked for by other nodes that go; this one needs %" PRId64,
                         budget->meta.namespace, budget->meta.name, allowed, asked, needed[i]));
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        evictions->asked[i] += needed[i];
    return true;
}

static void budgets_give_back(struct evictions *evictions,
                              const struct disruption_candidate *candidate)
{
    struct disruption *disruption = evictions->disruption;
    for (uint32_t i = 0; i < budgets_count(disruption); i++)
        evictions->asked[i] -=
            count_pods(disruption, candidate->state, budget_at(disruption, i));
}

bool evictions_take(struct evictions *evictions, const struct disruption_candidate *candidate,
                    bool eventual)
{
    if (!evictions->disruption->better)
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
    if (!evictions->disruption->better)
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
