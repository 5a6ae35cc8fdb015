// Tells of PodDisruptionBudgets whose selectors cannot be read: voluntary disruption leaves every node
// alone that has a pod of their namespace (DIS-708).
#include "control/controllers.h"

static void on_budget(void *context, enum mirror_change change, const struct object *old_object,
                      const struct object *new_object)
{
    struct control *control = context;
    (void)change;
    static const struct event_text event = {.reason = "UnreadableSelector", .warning = true};
    bool was = old_object != NULL &&
               budget_is_unreadable((const struct pod_disruption_budget *)old_object);
    if (new_object == NULL || was ||
        !budget_is_unreadable((const struct pod_disruption_budget *)new_object))
        return;
    log_error("tracking PodDisruptionBudgets, selector cannot be read", "s:controller",
              "disruption", "n:PodDisruptionBudget", new_object->meta.namespace,
              new_object->meta.name);
    publish(control, new_object, &event,
            "The selector cannot be read: while it is so, no node with a pod of the namespace is "
            "disrupted voluntarily");
}

void unreadable_budgets_watch(struct control *control)
{
    control_observe(control, KIND_POD_DISRUPTION_BUDGET, on_budget, control);
}
