#include "engine/evictions.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/state_node.h"

static const struct pod_disruption_budget *budget_at(const struct snapshot *snapshot,
                                                     uint32_t index)
{
    return (const struct pod_disruption_budget *)snapshot->objects[KIND_POD_DISRUPTION_BUDGET]
        .items[index];
}

struct evictions evictions_create(struct arena *arena, const struct snapshot *snapshot)
{
    uint32_t count = snapshot->objects[KIND_POD_DISRUPTION_BUDGET].count;
    return (struct evictions){snapshot, arena_allocate_array(arena, count + 1, sizeof(int64_t))};
}

static int64_t count_pods(const struct snapshot *snapshot,
                          const struct disruption_candidate *candidate,
                          const struct pod_disruption_budget *budget)
{
    int64_t count = 0;
    bool lenient = text_equal(budget->spec.unhealthy_pod_eviction_policy, "AlwaysAllow");
    list_for_each (pod, &candidate->state->pods)
        if (text_equal((*pod)->meta.namespace, budget->meta.namespace) &&
            pod_can_be_evicted(*pod, snapshot->time) && !(lenient && pod_is_unready(*pod)) &&
            label_selector_matches(budget->spec.selector, &(*pod)->meta.labels))
            count++;
    return count;
}

bool evictions_take(struct evictions *evictions, const struct disruption_candidate *candidate)
{
    const struct snapshot *snapshot = evictions->snapshot;
    uint32_t count = snapshot->objects[KIND_POD_DISRUPTION_BUDGET].count;
    int64_t *needed = memory_allocate_array(count + 1, sizeof *needed);
    bool fits = true;
    for (uint32_t i = 0; i < count && fits; i++) {
        const struct pod_disruption_budget *budget = budget_at(snapshot, i);
        needed[i] = count_pods(snapshot, candidate, budget);
        fits = needed[i] == 0 || evictions->asked[i] == 0 ||
               evictions->asked[i] + needed[i] <= budget->status.disruptions_allowed;
    }
    for (uint32_t i = 0; i < count && fits; i++)
        evictions->asked[i] += needed[i];
    free(needed);
    return fits;
}

void evictions_give_back(struct evictions *evictions, const struct disruption_candidate *candidate)
{
    const struct snapshot *snapshot = evictions->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD_DISRUPTION_BUDGET].count; i++)
        evictions->asked[i] -= count_pods(snapshot, candidate, budget_at(snapshot, i));
}
