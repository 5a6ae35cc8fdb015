#include "control/nodeclaim/condition_events.h"

#include <stdlib.h>

#include "control/runtime/control.h"
#include "model/schema/condition_types.h"
#include "model/tables/kinds.h"
#include "reconcile/conditions.h"

#define EVENTS_PER_SECOND 10
#define EVENTS_BURST      200

static void tell(struct control *control, const struct object *object, const char *reason,
                 const char *message)
{
    struct text dedupe = {0};
    text_format(&dedupe, "%s-%s", object->meta.uid != NULL ? object->meta.uid : "", message);
    struct event_text event = {
        .reason = reason, .dedupe = dedupe.data, .rate = EVENTS_PER_SECOND, .burst = EVENTS_BURST};
    publish(&control->manager, object, &event, "%s", message);
    text_free(&dedupe);
}

static void tell_transition(struct control *control, const struct object *object,
                            const struct condition *before, const struct condition *condition)
{
    struct text message = {0};
    text_format(&message, "Status condition transitioned, Type: %s, Status: %s -> %s, Reason: %s",
                condition->type, before->status, condition->status,
                condition->reason != NULL ? condition->reason : "");
    if (condition->message != NULL && *condition->message != '\0')
        text_format(&message, ", Message: %s", condition->message);
    tell(control, object, condition->type, message.data);
    text_free(&message);
}

static void tell_finalized(struct control *control, const struct object *before,
                           const struct object *object)
{
    list_for_each (finalizer, &before->meta.finalizers) {
        if (object != NULL && object_has_finalizer(object, *finalizer))
            continue;
        struct text message = {0};
        text_format(&message, "Finalized %s", *finalizer);
        tell(control, object != NULL ? object : before, "Finalized", message.data);
        text_free(&message);
    }
}

// What was there before the first sight is not known, so nothing is told of it.
static void on_object(void *context, enum mirror_change change, const struct object *before,
                      const struct object *object)
{
    struct control *control = context;
    if (change == MIRROR_ADDED)
        return;
    tell_finalized(control, before, object);
    if (object == NULL)
        return;
    list_for_each (condition, object_conditions(object)) {
        const struct condition *old =
            condition_find_named(object_conditions(before), condition->type);
        if (old != NULL && !text_equal(old->status, condition->status))
            tell_transition(control, object, old, condition);
    }
}

void condition_events_watch(struct control *control)
{
    if (control->manager.settings->disable_cluster_state_observability) // LIF-357
        return;
    const enum kind_id kinds[] = {KIND_NODE_CLAIM, KIND_NODE_POOL, KIND_NODE,
                                  control->node_class_kind};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        manager_observe(&control->manager, kinds[i], on_object, control);
    if (control->manager.settings->gate_capacity_buffer)
        manager_observe(&control->manager, KIND_CAPACITY_BUFFER, on_object, control);
}
