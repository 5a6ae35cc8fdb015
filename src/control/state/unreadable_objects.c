#include "control/state/unreadable_objects.h"

#include "control/runtime/control.h"
#include "model/reading/selector.h"

static const char *consequence(enum kind_id kind)
{
    switch ((int)kind) {
    case KIND_POD:
        return "its node counts as occupied and is not disrupted voluntarily, and nothing is "
               "launched for it";
    case KIND_POD_DISRUPTION_BUDGET:
        return "no node with a pod of the namespace is disrupted voluntarily";
    case KIND_NODE:
        return "no pod is planned for it, and it is left alone";
    case KIND_NODE_CLAIM:
        return "its node and its machine are left alone";
    case KIND_NODE_POOL:
        return "nothing is launched for it, and its nodes are left alone";
    default:
        return "it counts as absent";
    }
}

static void on_invalid(void *context, enum kind_id kind, const struct object *salvaged,
                       const struct error *error)
{
    if (salvaged != NULL)
        publish(context, salvaged, EVENT_UNREADABLE,
                "The object cannot be read (%s): while it is so, %s", error->message,
                consequence(kind));
}

static void on_budget(void *context, enum mirror_change change, const struct object *old_object,
                      const struct object *new_object)
{
    struct control *control = context;
    (void)change;
    bool was = old_object != NULL &&
               budget_is_unreadable((const struct pod_disruption_budget *)old_object);
    if (new_object == NULL || was || new_object->meta.unreadable != NULL ||
        !budget_is_unreadable((const struct pod_disruption_budget *)new_object))
        return;
    log_error("tracking PodDisruptionBudgets, selector cannot be read", "s:controller",
              "disruption", "n:PodDisruptionBudget", new_object->meta.namespace,
              new_object->meta.name);
    publish(&control->manager, new_object, EVENT_UNREADABLE_SELECTOR,
            "The selector cannot be read: while it is so, no node with a pod of the namespace is "
            "disrupted voluntarily");
}

void unreadable_objects_watch(struct control *control)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        mirror_on_invalid(control->manager.mirror, (enum kind_id)kind, on_invalid, control);
    manager_observe(&control->manager, KIND_POD_DISRUPTION_BUDGET, on_budget, control);
}
