#include "control/nodeclaim/condition_events.h"

#include <stdlib.h>

#include "control/runtime/control.h"
#include "model/schema/condition_types.h"
#include "model/tables/kinds.h"
#include "reconcile/conditions.h"

static void add_key(struct text *key, const struct object *object, const char *message)
{
    text_format(key, "%s-%s", object->meta.uid != NULL ? object->meta.uid : "", message);
}

static void report_transition(struct control *control, const struct object *object,
                              const struct condition *before, const struct condition *condition)
{
    struct text message = {0};
    text_format(&message, "Status condition transitioned, Type: %s, Status: %s -> %s, Reason: %s",
                condition->type, before->status, condition->status,
                condition->reason != NULL ? condition->reason : "");
    if (condition->message != NULL && *condition->message != '\0')
        text_format(&message, ", Message: %s", condition->message);
    struct text key = {0};
    add_key(&key, object, message.data);
    publish_transition(&control->manager, object, condition->type, key.data, message.data);
    text_free(&key);
    text_free(&message);
}

static void report_finalized(struct control *control, const struct object *before,
                             const struct object *object)
{
    list_for_each (finalizer, &before->meta.finalizers) {
        if (object != NULL && object_has_finalizer(object, *finalizer))
            continue;
        const struct object *about = object != NULL ? object : before;
        struct text message = {0}, key = {0};
        text_format(&message, "Finalized %s", *finalizer);
        add_key(&key, about, message.data);
        publish_keyed(&control->manager, about, EVENT_FINALIZED, key.data, "%s", message.data);
        text_free(&key);
        text_free(&message);
    }
}

// The state before the first sight is unknown, so that is no change.
static void on_object(void *context, enum mirror_change change, const struct object *before,
                      const struct object *object)
{
    struct control *control = context;
    if (change == MIRROR_ADDED)
        return;
    report_finalized(control, before, object);
    if (object == NULL)
        return;
    list_for_each (condition, object_conditions(object)) {
        const struct condition *old =
            condition_find_named(object_conditions(before), condition->type);
        if (old != NULL && !text_equal(old->status, condition->status))
            report_transition(control, object, old, condition);
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
