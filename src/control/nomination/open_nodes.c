#include "control/nomination/open_nodes.h"

#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/device_drivers.h"
#include "model/reading/pod.h"

bool open_nodes_has(const struct control *control, const struct node_claim *claim,
                    const struct node *node)
{
    const struct manager *manager = &control->manager;
    return node != NULL && !node_is_closed(node) && node_is_ready(node) &&
           device_drivers_are_there(manager->mirror, manager->settings, claim, node);
}

static bool waits_for_one(const struct control *control, const struct pod *pod)
{
    const struct node_claim *claim = cluster_planned_claim(control->cluster, pod);
    return claim != NULL && pod_is_of_kube_scheduler(pod) &&
           open_nodes_has(control, claim, cluster_main_node(control->cluster, claim));
}

const struct pod *open_nodes_awaited_by(const struct control *control)
{
    const struct pod_list *pods = cluster_provisionable(control->cluster);
    const struct pod *first = NULL;
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        bool is_higher = first == NULL || pod->spec.priority.value > first->spec.priority.value;
        if (is_higher && waits_for_one(control, pod))
            first = pod;
    }
    return first;
}
