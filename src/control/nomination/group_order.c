#include "control/nomination/group_order.h"

#include <stdlib.h>

#include "base/vector.h"
#include "control/nomination/opening_order.h"
#include "control/nomination/spread_mend.h"
#include "control/nomination/spread_order.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/pod_siblings.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"

struct group {
    VECTOR(const struct node_claim *) claims; // of open nodes, then of those that open next
    uint32_t open; // of the former: they come first, since their pods can be bound at once
};

static bool has_waiting_pod(const struct control *control, const struct node_claim *claim)
{
    const struct pod *pod;
    for (uint32_t i = 0; (pod = cluster_planned_on(control->cluster, claim, i)) != NULL; i++)
        if (!pod_is_bound(pod) && pod_spread_key(pod) != NULL &&
            cluster_planned_claim(control->cluster, pod) == claim)
            return true;
    return false;
}

// An open node with pods that wait for it. While its NodeClaim is not registered, its node may be
// one of those that open together.
static bool is_open_and_awaited(const struct control *control, const struct node_claim *claim)
{
    const struct node *node = cluster_main_node(control->cluster, claim);
    return node != NULL && node_is_ready(node) && !node_is_closed(node) &&
           condition_is_true(&claim->status.conditions, CONDITION_REGISTERED) &&
           has_waiting_pod(control, claim);
}

static bool is_among(const struct node_claim *claim, const struct node_claim *const *claims,
                     uint32_t count)
{
    uint32_t at = 0;
    while (at < count && claims[at] != claim)
        at++;
    return at < count;
}

// As many as the order can have beside the pods of the nodes that open next.
static void add_open(struct control *control, struct group *group,
                     const struct node_claim *const *claims, uint32_t count)
{
    uint32_t pods = 0;
    for (uint32_t i = 0; i < count; i++)
        pods += cluster_planned_count(control->cluster, claims[i]);
    struct map_entry *position = NULL;
    const struct node_claim *claim;
    while ((claim = cluster_next_planned(control->cluster, &position)) != NULL) {
        uint32_t more = cluster_planned_count(control->cluster, claim);
        if (pods + more > SPREAD_ORDER_PODS_MAX || !is_open_and_awaited(control, claim) ||
            is_among(claim, claims, count))
            continue;
        pods += more;
        vector_push(&group->claims, claim);
    }
    group->open = group->claims.count;
}

static struct group group_of(struct control *control, const struct node_claim *const *claims,
                             uint32_t count)
{
    struct group group = {0};
    add_open(control, &group, claims, count);
    for (uint32_t i = 0; i < count; i++)
        vector_push(&group.claims, claims[i]);
    return group;
}

static uint32_t mend(struct control *control, const struct group *group)
{
    return spread_mend(control, group->claims.items, group->claims.count);
}

void group_order_apply(struct control *control, const struct node_claim **claims, uint32_t count)
{
    struct spread_order *order = spread_order_create(control);
    opening_order(control, claims, count);
    struct group group = group_of(control, claims, count);
    for (uint32_t i = 0; i < group.claims.count; i++)
        spread_order_add(order, group.claims.items[i], i < group.open);
    spread_order_apply(order);
    spread_order_destroy(order);
    for (int i = 0; i < MENDS_MAX && mend(control, &group) > 0; i++)
        ;
    vector_free(&group.claims);
}

uint32_t group_order_mend(struct control *control, const struct node_claim *const *claims,
                          uint32_t count)
{
    struct group group = group_of(control, claims, count);
    uint32_t exchanged = mend(control, &group);
    vector_free(&group.claims);
    return exchanged;
}
