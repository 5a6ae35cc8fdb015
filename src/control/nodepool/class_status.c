#include "control/nodepool/class_status.h"

#include <stdlib.h>

#include "control/runtime/control.h"
#include "reconcile/conditions.h"
#include "reconcile/operations.h"

struct class_status {
    struct control *control;
    struct reconcile_queue *queue;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void on_class(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct class_status *status = context;
    (void)change;
    (void)old_object;
    if (new_object != NULL)
        reconcile_queue_add(status->queue, new_object->meta.name);
}

struct class_status *class_status_create(struct control *control)
{
    if (control->node_class_kind != KIND_KWOK_NODE_CLASS)
        return NULL;
    struct class_status *status = memory_allocate(sizeof *status);
    status->control = control;
    status->queue = manager_queue(&control->manager,
                                  &(struct reconcile_queue_options){.name = "nodeclass.status",
                                                                    .kind = "KWOKNodeClass",
                                                                    .concurrency = 10,
                                                                    .reconcile = reconcile,
                                                                    .context = status});
    mirror_on_change(control->manager.mirror, KIND_KWOK_NODE_CLASS, on_class, status);
    return status;
}

void class_status_destroy(struct class_status *status)
{
    free(status);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct control *control = ((struct class_status *)context)->control;
    const struct kwok_node_class *node_class = (const struct kwok_node_class *)mirror_get(
        control->manager.mirror, KIND_KWOK_NODE_CLASS, NULL, work_item_key(item));
    (void)error;
    if (node_class == NULL || object_is_deleting((const struct object *)node_class))
        return reconcile_done();
    // Only what nobody has said yet: a user (or a test) may set it False to stop a class.
    if (condition_find(&node_class->status.conditions, CONDITION_READY) != NULL)
        return reconcile_done();
    struct arena *arena CLEANUP_ARENA = arena_create(1024);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)node_class,
                    &node_class->status.conditions, manager_now(&control->manager));
    conditions_set_true(&conditions, CONDITION_READY);
    json_t *body = json_locked((const struct object *)node_class);
    json_object_set_new(body, "status",
                        json_pack("{s:o}", "conditions", conditions_encode(&conditions)));
    conditions_free(&conditions);
    return start_patch_status(&(struct operation_about){.manager = &control->manager,
                                                        .item = item,
                                                        .doing = "updating node class status"},
                              (const struct object *)node_class, body);
}
