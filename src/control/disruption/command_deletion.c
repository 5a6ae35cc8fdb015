#include "control/disruption/command_deletion.h"

#include <stdio.h>
#include <string.h>

#include "control/command/consolidation_history.h"
#include "control/disruption/disruption_replacements.h"
#include "control/node/eviction_queue.h"
#include "control/node/ready_replicas.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/nominations.h"

static void count_deleted(const struct disruption_parts *parts,
                          const struct disruption_command *command,
                          const struct command_node *entry)
{
    struct control *control = parts->control;
    const struct node *node = find_node(control, entry->node);
    const struct node_claim *claim = find_claim(control, entry->claim);
    if (node != NULL)
        publish(&control->manager, (const struct object *)node, EVENT_DISRUPTION_TERMINATING,
                "Disrupting Node: %s", disruption_reason_name(command->reason));
    if (claim != NULL)
        publish(&control->manager, (const struct object *)claim, EVENT_DISRUPTION_TERMINATING,
                "Disrupting NodeClaim: %s", disruption_reason_name(command->reason));
    if (command->reason == DISRUPTION_EMPTY)
        consolidation_history_emptied(parts->history, entry->pool, entry->instance_type);
    const char *reason = command_reason_label(command);
    const char *mode = claim != NULL ? termination_mode(claim) : "graceful";
    metric_add(control->metrics.node_claims_disrupted, 1, reason, entry->pool, entry->capacity_type,
               entry->policy, mode);
    metric_add(control->metrics.pods_disruption_initiated, entry->pods, reason, entry->pool,
               entry->capacity_type, entry->policy, mode);
}

struct deletion { // one delete call; in the command's arena
    const struct disruption_parts *parts;
    uint32_t index; // of the node in the command
};

static enum operation_outcome note_deleted(void *context, const char *key,
                                           const struct kube_result *result)
{
    const struct deletion *deletion = context;
    struct disruption_command *command = commands_find(deletion->parts->commands, key);
    enum error_kind kind = result->error.kind;
    if (command == NULL)
        return OPERATION_PASS;
    if (kind != ERROR_NONE && kind != ERROR_NOT_FOUND && kind != ERROR_CONFLICT) {
        snprintf(command->refusal, sizeof command->refusal, ", %s", result->error.message);
        return OPERATION_RETRY; // silently (DIS-327); a final failure is reported
    }
    if (kind != ERROR_NONE)
        return OPERATION_PASS;
    struct command_node *entry = &command->nodes.items[deletion->index];
    if (!entry->deleted)
        count_deleted(deletion->parts, command, entry);
    entry->deleted = true;
    return OPERATION_PASS;
}

// Replacements that are still closed wait for their pods (kept_replacements.h). Successors take the
// places in the order in which pods leave (drain_order.h): one node is full after the other.
static void keep_places(const struct step *step)
{
    const struct disruption_command *command = step->command;
    const struct nominations *nominations = cluster_nominations(step->control->cluster);
    for (uint32_t i = command->replacements.count; i-- > 0;) {
        const char *name = command->replacements.items[i].name;
        if (!nominations_keep(nominations, name))
            continue;
        list_for_each (move, &command->moves)
            if (move->replacement == i && move->workload[0] != '\0')
                cluster_keep_place(step->control->cluster, move->workload, name);
    }
}

// DIS-726, DIS-791: the replacements must still be ready, and no new blocker may have come.
struct reconcile_result step_delete(struct step *step)
{
    struct disruption_command *command = step->command;
    struct ready_replicas *replicas = eviction_queue_replicas(step->parts->evictions);
    const char *gone;
    const struct pod *pod;
    if ((command->replacements.count > 0 &&
         replacements_state(step->control, command, &gone) != REPLACEMENTS_READY) ||
        step_blocker(step, &pod) != BAR_NONE)
        return step_go_on(step, COMMAND_AWAIT);
    if (!command->was_deleted_once)
        keep_places(step);
    step->about.doing = "deleting nodeclaim";
    step->about.record = note_deleted;
    for (uint32_t i = 0; i < command->nodes.count; i++) {
        const struct command_node *entry = &command->nodes.items[i];
        if (entry->gone || entry->deleted)
            continue;
        struct deletion *deletion = arena_allocate(command->arena, sizeof *deletion);
        *deletion = (struct deletion){step->parts, i};
        step->about.context = deletion;
        start_delete(&step->about, (const struct object *)find_claim(step->control, entry->claim),
                     -1);
        ready_replicas_leave(replicas, cluster_pods(step->control->cluster, entry->node));
        step->started++;
    }
    command->was_deleted_once = true;
    return step->started > 0 ? reconcile_running() : step_go_on(step, COMMAND_DRAIN);
}
