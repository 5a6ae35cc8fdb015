#include "control/disruption/disruption_emptiness.h"

#include "base/nanoseconds.h"
#include "control/command/commands.h"
#include "control/command/consolidation_history.h"
#include "control/disruption/wanted_nodes.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "control/state/pod_events.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"
#include "model/reading/pod_eviction.h"
#include "model/schema/condition_types.h"

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
            wanted_nodes_have(control, arena, node) || is_kept_for_a_while(parts, claim))
            return false;
    }
    return true;
}
