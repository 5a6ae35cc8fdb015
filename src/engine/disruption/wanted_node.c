#include "engine/disruption/wanted_node.h"

#include <assert.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"
#include "model/schema/karpenter.h"

#define NEW_POD_NS (30 * SECOND) // how long a pending pod may still find its place by itself

static bool taints_tolerated(const struct pod *pod, const struct node *node)
{
    list_for_each (taint, &node->spec.taints)
        if (!text_equal(taint->key, TAINT_DISRUPTED) &&
            !tolerations_tolerate(&pod->spec.tolerations, taint))
            return false;
    return true;
}

static bool may_run_on(struct arena *arena, const struct pod *pod, const struct node *node)
{
    list_for_each (selector, &pod->spec.node_selector)
        if (!text_equal(string_map_get(&node->meta.labels, selector->key), selector->value))
            return false;
    struct resource_map requests = pod_requests(arena, pod);
    list_for_each (request, &requests)
        if (request->value > resource_map_get(&node->status.allocatable, request->name))
            return false;
    return taints_tolerated(pod, node);
}

// a timestamp in the future was set before the clock was turned back
static bool waits_since_lately(const struct pod *pod, int64_t now)
{
    const struct condition *condition =
        condition_find(&pod->status.conditions, CONDITION_POD_SCHEDULED);
    int64_t since =
        condition != NULL ? condition->last_transition_time : pod->meta.creation_timestamp;
    return ns_subtract(now, since) < NEW_POD_NS && ns_subtract(since, now) < NEW_POD_NS;
}

bool node_is_wanted_by(struct arena *arena, const struct node *node, const struct pod *pod,
                       bool is_displaced, int64_t now)
{
    assert(node != NULL);
    assert(pod != NULL);
    return (is_displaced || waits_since_lately(pod, now)) && may_run_on(arena, pod, node);
}
