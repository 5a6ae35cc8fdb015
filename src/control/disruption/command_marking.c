#include "control/disruption/command_marking.h"

#include <string.h>

#include "base/nanoseconds.h"
#include "control/disruption/command_budgets.h"
#include "control/disruption/disruption_taints.h"
#include "control/disruption/validation_delay.h"
#include "control/node/drain.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "model/schema/condition_types.h"

// NULL: the node has the command's taint and mark. Marks of an earlier command, which may appear
// late, are removed first.
static json_t *patch_to_taint(const struct disruption_command *command, const struct node *node)
{
    const struct object *object = (const struct object *)node;
    const char *text = object_annotation(object, ANNOTATION_DISRUPTION_COMMAND);
    struct command_mark mark;
    bool ours = command_mark_read(object, &mark) && strcmp(mark.id, command->id) == 0;
    if (text != NULL && !ours)
        return untaint_patch(node);
    if (ours && find_taint(&node->spec.taints, TAINT_DISRUPTED, "NoSchedule") != NULL)
        return NULL;
    return taint_patch(node, command_mark_text(command->arena, command));
}

static bool is_marked(const struct step *step)
{
    list_for_each (entry, &step->command->nodes) {
        const struct node *node = find_node(step->control, entry->node);
        json_t *body = !entry->gone ? patch_to_taint(step->command, node) : NULL;
        bool is_due = body != NULL;
        json_decref(body);
        if (is_due)
            return false;
    }
    return true;
}

bool step_breaks_budgets(const struct step *step)
{
    return !is_marked(step) &&
           !command_within_budgets(step->control, step->parts->commands, step->command);
}

struct reconcile_result step_taint(struct step *step)
{
    struct disruption_command *command = step->command;
    step->about.doing = "tainting node";
    list_for_each (entry, &command->nodes) {
        const struct node *node = find_node(step->control, entry->node);
        json_t *body = !entry->gone ? patch_to_taint(command, node) : NULL;
        if (body == NULL)
            continue;
        start_patch(&step->about, (const struct object *)node, NULL, body);
        step->started++;
    }
    return step->started > 0 ? reconcile_running() : step_go_on(step, COMMAND_REASON);
}

// The reason matters to evicted pods (LIF-124). For a node without any, events and the log suffice.
static bool reason_matters(const struct step *step, const char *node)
{
    const struct control *control = step->control;
    struct drain drain;
    drain_plan(&drain, cluster_pods(control->cluster, node), 0, manager_now(&control->manager));
    bool matters = drain.waiting > 0 || !control->strategy->skips_unread_reasons;
    drain_free(&drain);
    return matters;
}

struct reconcile_result step_reason(struct step *step)
{
    struct disruption_command *command = step->command;
    step->about.doing = "updating disruption reason";
    list_for_each (entry, &command->nodes) {
        const struct node_claim *claim = find_claim(step->control, entry->claim);
        if (entry->gone)
            continue;
        const struct condition *condition =
            condition_find(&claim->status.conditions, CONDITION_DISRUPTION_REASON);
        bool matters = condition != NULL || reason_matters(step, entry->node);
        if (!matters || (condition != NULL &&
                         text_equal(condition->reason, disruption_reason_name(command->reason))))
            continue;
        start_patch_status(&step->about, (const struct object *)claim,
                           reason_patch(step->control, claim, command->reason));
        step->started++;
    }
    if (step->started > 0)
        return reconcile_running();
    command->phase = COMMAND_WAIT;
    command->due_ns = ns_add(loop_monotonic_ns(step->control->manager.loop),
                             validation_delay_ns(step->control->strategy, step->command->reason));
    wake(&step->control->manager, WAKE_DISRUPTION, NULL);
    return reconcile_done();
}
