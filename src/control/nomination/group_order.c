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

typedef VECTOR(const struct node_claim *) claim_list;

static bool has_waiting_pod(const struct control *control, const struct node_claim *claim)
{
    const struct pod *pod;
    for (uint32_t i = 0; (pod = cluster_planned_on(control->cluster, claim, i)) != NULL; i++)
        if (!pod_is_bound(pod) && cluster_planned_claim(control->cluster, pod) == claim &&
            pod_spread_key(pod) != NULL)
            return true;
    return false;
}

// NodeClaims of open nodes with pods that could not be bound there yet.
static claim_list open_claims(const struct control *control)
{
    claim_list open = {0};
    struct map_entry *position = NULL;
    const struct node_claim *claim;
    while ((claim = cluster_next_planned(control->cluster, &position)) != NULL) {
        const struct node *node = cluster_main_node(control->cluster, claim);
        if (node != NULL && node_is_ready(node) && !node_is_closed(node) &&
            has_waiting_pod(control, claim))
            vector_push(&open, claim);
    }
    return open;
}

// The open nodes come first: their pods can be bound at once.
static claim_list with_open(const struct control *control, const struct node_claim *const *claims,
                            uint32_t count)
{
    claim_list all = open_claims(control);
    for (uint32_t i = 0; i < count; i++)
        vector_push(&all, claims[i]);
    return all;
}

void group_order_apply(struct control *control, const struct node_claim **claims, uint32_t count)
{
    struct spread_order *order = spread_order_create(control);
    opening_order(control, claims, count);
    claim_list all = with_open(control, claims, count);
    vector_for_each (claim, &all)
        spread_order_add(order, *claim);
    spread_order_apply(order);
    spread_order_destroy(order);
    vector_free(&all);
    for (int i = 0; i < MENDS_MAX && group_order_mend(control, claims, count) > 0; i++)
        ;
}

uint32_t group_order_mend(struct control *control, const struct node_claim *const *claims,
                          uint32_t count)
{
    claim_list all = with_open(control, claims, count);
    uint32_t exchanged = spread_mend(control, all.items, all.count);
    vector_free(&all);
    return exchanged;
}
