#include "control/disruption/command_step.h"

#include <assert.h>
#include <stdio.h>

#include "control/node/eviction_queue.h"
#include "control/state/cluster.h"

struct reconcile_result step_go_on(struct step *step, enum command_phase phase)
{
    step->command->phase = phase;
    return reconcile_after(0);
}

struct reconcile_result step_fail(struct step *step, const char *what, const char *which)
{
    struct disruption_command *command = step->command;
    snprintf(command->failure, sizeof command->failure, "%s%s%s", what, which, command->refusal);
    return step_go_on(step, COMMAND_ROLLBACK);
}

void command_set_marked(struct control *control, const struct disruption_command *command,
                        bool marked)
{
    list_for_each (entry, &command->nodes) {
        struct state_node *state = cluster_state_named(control->cluster, entry->node);
        if (state != NULL)
            state->marked = marked;
    }
}

enum command_blocker step_blocker(const struct step *step, const struct pod **pod)
{
    return step->control->strategy->checks_blockers
               ? command_blocker(step->control, eviction_queue_replicas(step->parts->evictions),
                                 step->command, pod)
               : BAR_NONE;
}
