#include "control/disruption/wanted_nodes.h"

#include "control/command/commands.h"
#include "control/command/disruption_backoff.h"
#include "control/disruption/disruption_queue.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "engine/disruption/wanted_node.h"
#include "model/reading/pod.h"

// The first pod that may need the node, or NULL. `examined`: only pods that kube-scheduler has
// looked at.
static const struct pod *first_that_wants(const struct control *control, struct arena *arena,
                                          const struct node *node, bool examined)
{
    const struct pod_list *pods = cluster_provisionable(control->cluster);
    int64_t now = manager_now(&control->manager);
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        if (!(examined && pod_is_unexamined(pod)) &&
            node_is_wanted_by(arena, node, pod, cluster_is_displaced(control->cluster, pod), now))
            return pod;
    }
    return NULL;
}

bool wanted_nodes_have(const struct control *control, struct arena *arena, const struct node *node)
{
    return first_that_wants(control, arena, node, false) != NULL;
}

static bool any_is_wanted(const struct control *control, struct arena *arena,
                          const struct disruption_command *command)
{
    list_for_each (entry, &command->nodes) {
        const struct node *node = find_node(control, entry->node);
        if (node != NULL && wanted_nodes_have(control, arena, node))
            return true;
    }
    return false;
}

void wanted_nodes_cancel(const struct disruption_parts *parts)
{
    struct control *control = parts->control;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct map_entry *position = NULL;
    if (cluster_provisionable(control->cluster)->count == 0)
        return;
    for (struct disruption_command *command;
         (command = commands_next(parts->commands, &position)) != NULL;)
        if (command->phase == COMMAND_WAIT && any_is_wanted(control, arena, command)) {
            disruption_queue_cancel(parts->queue, command, CANCEL_CHURN,
                                    "a pending pod may run on the node");
            // Otherwise the next evaluation would choose them again at once (DIS-714).
            if (command->reason == DISRUPTION_DRIFTED)
                list_for_each (entry, &command->nodes)
                    disruption_backoff_drift_refused(parts->backoff, entry->node);
        }
}

// Pods that kube-scheduler has yet to look at cancel no command.
static const struct pod *first_that_cancels(const struct control *control,
                                            const struct plan_disruption *planned)
{
    list_for_each (name, &planned->candidates) {
        CLEANUP_ARENA struct arena *arena = arena_create(4096);
        const struct node *node = find_node(control, *name);
        const struct pod *pod = node != NULL ? first_that_wants(control, arena, node, true) : NULL;
        if (pod != NULL)
            return pod;
    }
    return NULL;
}

bool wanted_nodes_refuse(const struct disruption_parts *parts,
                         const struct plan_disruption *planned)
{
    const struct control *control = parts->control;
    if (planned->reason != DISRUPTION_DRIFTED || !disruption_backoff_may_refuse(parts->backoff))
        return false;
    const struct pod *pod = first_that_cancels(control, planned);
    if (pod == NULL)
        return false;
    log_debug("drifted nodes are left for now: a pending pod may run on one of them",
              "s:controller", "disruption", "n:Pod", pod->meta.namespace, pod->meta.name, "i:nodes",
              (int64_t)planned->candidates.count);
    disruption_backoff_note_refusal(parts->backoff);
    if (!cluster_is_planned(control->cluster, pod))
        list_for_each (name, &planned->candidates)
            disruption_backoff_drift_refused(parts->backoff, *name);
    return true;
}
