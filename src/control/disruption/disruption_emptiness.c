#include "control/disruption/disruption_emptiness.h"

#include "base/nanoseconds.h"
#include "control/command/commands.h"
#include "control/command/consolidation_history.h"
#include "control/command/disruption_backoff.h"
#include "control/disruption/disruption_queue.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/pod_events.h"
#include "control/state/state_node.h"
#include "engine/disruption/wanted_node.h"
#include "model/reading/pod.h"
#include "model/reading/pod_eviction.h"
#include "model/schema/condition_types.h"

// --- pending pods that may need a node (DIS-725, DIS-765) ----------------------------------------
static bool is_wanted_by(struct arena *arena, const struct control *control,
                         const struct node *node, const struct pod *pod)
{
    return node_is_wanted_by(arena, node, pod, cluster_is_displaced(control->cluster, pod),
                             manager_now(&control->manager));
}

static bool is_wanted(struct arena *arena, const struct control *control, const struct node *node)
{
    const struct pod_list *pods = cluster_provisionable(control->cluster);
    for (uint32_t i = 0; i < pods->count; i++)
        if (is_wanted_by(arena, control, node, pods->items[i]))
            return true;
    return false;
}

// Pods that kube-scheduler has yet to look at cancel no command.
static const struct pod *first_that_wants(const struct control *control, const struct node *node)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const struct pod_list *pods = cluster_provisionable(control->cluster);
    for (uint32_t i = 0; i < pods->count; i++)
        if (!pod_is_unexamined(pods->items[i]) &&
            is_wanted_by(arena, control, node, pods->items[i]))
            return pods->items[i];
    return NULL;
}

static bool any_node_wanted(struct arena *arena, const struct control *control,
                            const struct disruption_command *command)
{
    list_for_each (entry, &command->nodes) {
        const struct node *node = find_node(control, entry->node);
        if (node != NULL && is_wanted(arena, control, node))
            return true;
    }
    return false;
}

static void put_off(const struct disruption_parts *parts, const struct plan_disruption *planned)
{
    list_for_each (name, &planned->candidates)
        disruption_backoff_drift_refused(parts->backoff, *name);
}

bool emptiness_refuses(const struct disruption_parts *parts, const struct plan_disruption *planned)
{
    const struct control *control = parts->control;
    const struct pod *pod = NULL;
    if (planned->reason != DISRUPTION_DRIFTED || !disruption_backoff_may_refuse(parts->backoff))
        return false;
    for (uint32_t i = 0; i < planned->candidates.count && pod == NULL; i++) {
        const struct node *node = find_node(control, planned->candidates.items[i]);
        pod = node != NULL ? first_that_wants(control, node) : NULL;
    }
    if (pod == NULL)
        return false;
    log_debug("drifted nodes are left for now: a pending pod may run on one of them",
              "s:controller", "disruption", "n:Pod", pod->meta.namespace, pod->meta.name, "i:nodes",
              (int64_t)planned->candidates.count);
    disruption_backoff_note_refusal(parts->backoff);
    if (!cluster_is_planned(control->cluster, pod))
        put_off(parts, planned);
    return true;
}

void emptiness_cancel_for_pending_pods(const struct disruption_parts *parts)
{
    struct control *control = parts->control;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct disruption_queue *queue = parts->queue;
    struct map_entry *position = NULL;
    if (cluster_provisionable(control->cluster)->count == 0)
        return;
    for (struct disruption_command *command;
         (command = commands_next(parts->commands, &position)) != NULL;)
        if (command->phase == COMMAND_WAIT && any_node_wanted(arena, control, command)) {
            disruption_queue_cancel(queue, command, CANCEL_CHURN,
                                    "a pending pod may run on the node");
            // Otherwise the next evaluation would choose them again at once (DIS-714).
            if (command->reason == DISRUPTION_DRIFTED)
                list_for_each (entry, &command->nodes)
                    disruption_backoff_drift_refused(parts->backoff, entry->node);
        }
}

// --- nodes that may be empty ---------------------------------------------------------------------
static bool is_empty_now(const struct disruption_parts *parts, const struct state_node *state,
                         const struct node *node, const struct node_claim *claim)
{
    if (node == NULL || claim == NULL || state_marked(state) ||
        !condition_is_true(&claim->status.conditions, CONDITION_CONSOLIDATABLE))
        return false;
    const struct pod_list *pods = cluster_pods(parts->control->cluster, node->meta.name);
    for (uint32_t i = 0; i < pods->count; i++)
        if (pod_needs_place(pods->items[i]) && pod_eviction_cost(pods->items[i]) > 0) // DIS-57
            return false;
    return true;
}

static bool may_be_empty(const struct disruption_parts *parts, const struct state_node *state)
{
    const struct node *node = state_only_node(state);
    return is_empty_now(parts, state, node, state_only_claim(state)) &&
           !commands_has(parts->commands, node->meta.name);
}

bool emptiness_is_possible(const struct disruption_parts *parts)
{
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(parts->control->cluster, &position)) != NULL;)
        if (!state->kept_empty && may_be_empty(parts, state))
            return true;
    return false;
}

void emptiness_note_seen(const struct disruption_parts *parts)
{
    struct map_entry *position = NULL;
    for (struct state_node *state;
         (state = cluster_next(parts->control->cluster, &position)) != NULL;)
        state->kept_empty = may_be_empty(parts, state);
}

void emptiness_note_kept(const struct disruption_parts *parts, bool put_off)
{
    struct map_entry *position = NULL;
    for (struct state_node *state;
         (state = cluster_next(parts->control->cluster, &position)) != NULL;)
        state->kept_empty = state->kept_empty && !put_off && may_be_empty(parts, state);
}

// --- changes during the evaluation ---------------------------------------------------------------
// As the decision has it, another Node of the same machine does not matter.
static bool is_free(const struct disruption_parts *parts, const char *name)
{
    struct cluster *cluster = parts->control->cluster;
    const struct node *node = find_node(parts->control, name);
    const struct state_node *state = node != NULL ? cluster_state_of_node(cluster, node) : NULL;
    return state != NULL &&
           is_empty_now(parts, state, node, cluster_claim_of(cluster, node, NULL)) &&
           !text_equal(object_annotation((const struct object *)node, ANNOTATION_DO_NOT_DISRUPT),
                       "true") &&
           cluster_nominated_until(cluster, state) <= manager_now(&parts->control->manager);
}

bool emptiness_still_holds(const struct disruption_parts *parts,
                           const struct disruption_command *command)
{
    list_for_each (entry, &command->nodes)
        if (!is_free(parts, entry->node))
            return false;
    return true;
}

// DIS-752: the NodePool's nodes were launched again soon after their removal.
static bool is_kept_for_a_while(const struct disruption_parts *parts,
                                const struct node_claim *claim)
{
    const struct control *control = parts->control;
    int64_t quiet_ns = consolidation_history_quiet_ns(
        parts->history, label_or_empty((const struct object *)claim, LABEL_NODE_POOL));
    const struct condition *initialized =
        condition_find(&claim->status.conditions, CONDITION_INITIALIZED);
    int64_t since = pod_events_last(parts->pod_events, claim);
    if (since == 0 && initialized != NULL)
        since = initialized->last_transition_time;
    return quiet_ns > 0 && ns_subtract(manager_now(&control->manager), since) < quiet_ns;
}

bool emptiness_may_start(const struct disruption_parts *parts,
                         const struct plan_disruption *planned)
{
    struct control *control = parts->control;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    list_for_each (name, &planned->candidates) {
        const struct node *node = find_node(control, *name);
        const struct node_claim *claim =
            node != NULL ? cluster_claim_of(control->cluster, node, NULL) : NULL;
        if (claim == NULL || commands_has(parts->commands, *name) || !is_free(parts, *name) ||
            is_wanted(arena, control, node) || is_kept_for_a_while(parts, claim))
            return false;
    }
    return true;
}
