#include "cloud/kwok/kwok_class_status.h"

#include <assert.h>
#include <stdlib.h>

#include "model/schema/condition_types.h"
#include "reconcile/conditions.h"
#include "reconcile/operations.h"
#include "reconcile/patch.h"

struct kwok_class_status {
    struct manager *manager;
    struct reconcile_queue *queue;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void on_class(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct kwok_class_status *status = context;
    (void)change;
    (void)old_object;
    if (new_object != NULL)
        reconcile_queue_add(status->queue, new_object->meta.name);
}

void *kwok_class_status_create(struct manager *manager, struct cloud *cloud)
{
    (void)cloud;
    assert(manager->mirror != NULL);
    assert(!manager->started);
    struct kwok_class_status *status = memory_allocate(sizeof *status);
    status->manager = manager;
    status->queue =
        manager_queue(manager, &(struct reconcile_queue_options){.name = "nodeclass.status",
                                                                 .kind = "KWOKNodeClass",
                                                                 .concurrency = 10,
                                                                 .reconcile = reconcile,
                                                                 .context = status});
    mirror_on_change(manager->mirror, KIND_KWOK_NODE_CLASS, on_class, status);
    return status;
}

void kwok_class_status_destroy(void *status)
{
    free(status);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct manager *manager = ((struct kwok_class_status *)context)->manager;
    const struct kwok_node_class *node_class = (const struct kwok_node_class *)mirror_get(
        manager->mirror, KIND_KWOK_NODE_CLASS, NULL, work_item_key(item));
    (void)error;
    if (node_class == NULL || object_is_deleting((const struct object *)node_class))
        return reconcile_done();
    // An existing condition stays: a user (or a test) may set it False to stop a class.
    if (condition_find(&node_class->status.conditions, CONDITION_READY) != NULL)
        return reconcile_done();
    struct arena *arena CLEANUP_ARENA = arena_create(1024);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)node_class,
                    &node_class->status.conditions, manager_now(manager));
    conditions_set_true(&conditions, CONDITION_READY);
    json_t *body = json_locked((const struct object *)node_class);
    json_object_set_new(body, "status",
                        json_pack("{s:o}", "conditions", conditions_encode(&conditions)));
    conditions_free(&conditions);
    return start_patch_status(&(struct operation_about){.manager = manager,
                                                        .item = item,
                                                        .doing = "updating node class status"},
                              (const struct object *)node_class, body);
}
