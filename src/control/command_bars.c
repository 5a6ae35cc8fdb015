#include "control/command_bars.h"

#include <string.h>

#include "control/cluster.h"
#include "engine/candidates.h"

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
        exhausted = exhausted || (budget->status.disruptions_allowed <= 0 && !lenient);
    }
    return matches > 1 || exhausted;
}

static enum command_bar pod_bar(const struct control *control, const struct pod *pod)
{
    int64_t now = control_now(control);
    if (pod_is_active(pod) && pod_is_protected(pod, now))
        return BAR_POD;
    return pod_is_evictable(pod, now) && budgets_bar(control, pod) ? BAR_BUDGET : BAR_NONE;
}

static bool may_go_regardless(const struct control *control,
                              const struct disruption_command *command,
                              const struct command_node *entry)
{
    const struct node_claim *claim = find_claim(control, entry->claim);
    return claim == NULL || (strcmp(command->reason, "Drifted") == 0 &&
                             claim->spec.termination_grace_period.text != NULL);
}

enum command_bar command_bar(const struct control *control,
                             const struct disruption_command *command, const struct pod **pod)
{
    enum command_bar worst = BAR_NONE;
    list_for_each (entry, &command->nodes) {
        if (entry->gone || entry->deleted || may_go_regardless(control, command, entry))
            continue;
        const struct pod_list *pods = cluster_pods(control->cluster, entry->node);
        for (uint32_t i = 0; i < pods->count; i++) {
            enum command_bar bar = pod_bar(control, pods->items[i]);
            if (bar > worst) {
                worst = bar;
                *pod = pods->items[i];
            }
        }
    }
    return worst;
}
