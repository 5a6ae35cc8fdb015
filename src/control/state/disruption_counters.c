#include "control/state/disruption_counters.h"

#include "control/state/cluster.h"
#include "model/reading/pod.h"

static void count(struct metric *metric, double number, const struct node_claim *claim,
                  const char *reason)
{
    const struct object *object = (const struct object *)claim;
    metric_add(metric, number, reason, object_label(object, LABEL_NODE_POOL),
               object_label(object, LABEL_CAPACITY_TYPE), "", termination_mode(claim));
}

static uint32_t reschedulable_pods(const struct control *control, const struct node_claim *claim)
{
    const struct node *node = cluster_node_of(control->cluster, claim, NULL);
    const struct pod_list *pods =
        cluster_pods(control->cluster, node != NULL ? node->meta.name : NULL);
    uint32_t number = 0;
    for (uint32_t i = 0; i < pods->count; i++)
        number += pod_needs_place(pods->items[i]);
    return number;
}

void count_disrupted(struct control *control, const struct node_claim *claim, const char *reason)
{
    count(control->metrics.node_claims_disrupted, 1, claim, reason);
}

void count_disrupted_begin(struct control *control, const struct node_claim *claim,
                           const char *reason)
{
    count(control->metrics.node_claims_disrupted, 0, claim, reason);
}

void count_disrupted_node(struct control *control, const struct node_claim *claim,
                          const char *reason)
{
    count_disrupted(control, claim, reason);
    count(control->metrics.pods_disruption_initiated, reschedulable_pods(control, claim), claim,
          reason);
}
