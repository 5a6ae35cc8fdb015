#include "control/disruption/command_blockers.h"

#include <string.h>

#include "control/node/ready_replicas.h"
#include "control/state/cluster.h"
#include "engine/disruption/candidates.h"
#include "model/reading/pod.h"
#include "model/reading/selector.h"

// DIS-43 to DIS-45.
static bool budgets_bar(const struct control *control, const struct pod *pod)
{
    struct mirror_iterator iterator = {0};
    uint32_t matches = 0;
    bool exhausted = false;
    for (const struct pod_disruption_budget *budget;
         (budget = next_budget_of(control, pod, &iterator)) != NULL;) {
        bool lenient = text_equal(budget->spec.unhealthy_pod_eviction_policy, "AlwaysAllow") &&
                       pod_is_unready(pod);
        matches++;
        exhausted =
            exhausted || budget_is_unreadable(budget) || (budget_is_exhausted(budget) && !lenient);
    }
    return matches > 1 || exhausted;
}

static enum command_blocker pod_bar(const struct control *control, const struct pod *pod)
{
    int64_t now = manager_now(&control->manager);
    if (pod_is_active(pod) && pod_is_protected(pod, now))
        return BAR_POD;
    return pod_is_evictable(pod, now) && budgets_bar(control, pod) ? BAR_BUDGET : BAR_NONE;
}

static bool may_go_regardless(const struct control *control,
                              const struct disruption_command *command,
                              const struct command_node *entry)
{
    const struct node_claim *claim = find_claim(control, entry->claim);
    return claim == NULL || (command->reason == DISRUPTION_DRIFTED &&
                             claim->spec.termination_grace_period.text != NULL);
}

// Neither a grace period nor drift justifies the end of a workload.
static const struct pod *find_last_ready(const struct control *control,
                                         struct ready_replicas *replicas,
                                         const struct disruption_command *command)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    const struct pod_list **nodes =
        arena_allocate_array(scratch, command->nodes.count + 1, sizeof *nodes);
    uint32_t count = 0;
    if (!control->manager.settings->workload_guard)
        return NULL;
    list_for_each (entry, &command->nodes)
        if (!entry->gone && !entry->deleted)
            nodes[count++] = cluster_pods(control->cluster, entry->node);
    return ready_replicas_last_ready(replicas, nodes, count);
}

enum command_blocker command_blocker(const struct control *control, struct ready_replicas *replicas,
                                     const struct disruption_command *command,
                                     const struct pod **pod)
{
    *pod = find_last_ready(control, replicas, command);
    enum command_blocker worst = *pod != NULL ? BAR_REPLICAS : BAR_NONE;
    list_for_each (entry, &command->nodes) {
        if (entry->gone || entry->deleted || may_go_regardless(control, command, entry))
            continue;
        const struct pod_list *pods = cluster_pods(control->cluster, entry->node);
        for (uint32_t i = 0; i < pods->count; i++) {
            enum command_blocker bar = pod_bar(control, pods->items[i]);
            if (bar > worst) {
                worst = bar;
                *pod = pods->items[i];
            }
        }
    }
    return worst;
}
