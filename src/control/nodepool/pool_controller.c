#include "control/nodepool/pool_controller.h"

#include <stdlib.h>

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct pool_controller *controller = context;
    (void)change;
    reconcile_queue_add(controller->queue,
                        (new_object != NULL ? new_object : old_object)->meta.name);
}

static void on_class(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct pool_controller *controller = context;
    (void)change;
    pool_controller_add_users(controller->control, controller->queue,
                              (new_object != NULL ? new_object : old_object)->meta.name);
}

struct pool_controller *pool_controller_create(struct control *control, const char *name,
                                               reconcile_function reconcile, bool follows_class)
{
    struct pool_controller *controller = memory_allocate(sizeof *controller);
    controller->control = control;
    controller->queue = manager_queue(
        &control->manager,
        &(struct reconcile_queue_options){.name = name,
                                          .kind = "NodePool",
                                          .concurrency = manager_scale(&control->manager, 10, 1000),
                                          .reconcile = reconcile,
                                          .context = controller});
    mirror_on_change(control->manager.mirror, KIND_NODE_POOL, on_pool, controller);
    if (follows_class)
        mirror_on_change(control->manager.mirror, control->node_class_kind, on_class, controller);
    return controller;
}

void pool_controller_destroy(struct pool_controller *controller)
{
    free(controller);
}

void pool_controller_add_users(struct control *control, struct reconcile_queue *queue,
                               const char *node_class)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *pool;
         (pool = mirror_next(control->manager.mirror, KIND_NODE_POOL, &iterator)) != NULL;) {
        const struct node_class_reference *reference =
            ((const struct node_pool *)pool)->spec.template.spec.node_class_ref;
        if (reference != NULL && text_equal(reference->name, node_class))
            reconcile_queue_add(queue, pool->meta.name);
    }
}
