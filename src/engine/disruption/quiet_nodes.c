#include "engine/disruption/quiet_nodes.h"

#include <assert.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "engine/disruption/eligibility.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"

// DIS-719: the node never becomes quiet, but each pod that would move has run there for long
// enough; the condition shows that the wait has lasted.
static bool is_settled(const struct problem *problem, const struct state_node *state, int64_t after)
{
    if (problem->settings->quiet_by_node ||
        !condition_is_true(&state->claim->status.conditions, CONDITION_CONSOLIDATABLE))
        return false;
    bool any = false;
    list_for_each (pod, &state->pods) {
        if (!pod_needs_place(*pod))
            continue;
        any = true;
        int64_t bound_at = pod_bound_at(*pod);
        if (bound_at == 0 || ns_subtract(problem->snapshot->time, bound_at) < after)
            return false;
    }
    return any;
}

// The node's pool, if it may take new nodes (DIS-234), whether or not instance types are available.
static const struct node_pool *open_pool_of(const struct problem *problem,
                                            const struct state_node *state)
{
    for (uint32_t i = 0; i < problem->templates.pools_count; i++)
        if (text_equal(problem->templates.pools[i].pool->meta.name, state->node_pool))
            return problem->templates.pools[i].pool;
    return NULL;
}

// Nodes of the pool take no running pods until they have been quiet for consolidateAfter.
static bool is_quiet(const struct problem *problem, const struct schedulable_node *node)
{
    const struct node_claim *claim = node->state->claim;
    const struct node_pool *pool = open_pool_of(problem, node->state);
    if (pool == NULL || claim == NULL)
        return false;
    const struct duration *after = &pool->spec.disruption.consolidate_after;
    const struct condition *initialized =
        condition_find(&claim->status.conditions, CONDITION_INITIALIZED);
    if (consolidation_is_disabled(pool) || after->nanoseconds == 0 || initialized == NULL ||
        !text_equal(initialized->status, "True"))
        return false;
    int64_t since = claim->status.last_pod_event_time != 0 ? claim->status.last_pod_event_time
                                                           : initialized->last_transition_time;
    return ns_subtract(problem->snapshot->time, since) < after->nanoseconds &&
           !is_settled(problem, node->state, after->nanoseconds);
}

struct bitset quiet_nodes_find(const struct problem *problem, struct arena *arena)
{
    struct bitset quiet = bitset_create(arena, problem->nodes.count);
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        if (is_quiet(problem, &problem->schedulable_nodes[i]))
            bitset_set(quiet, i);
    return quiet;
}
