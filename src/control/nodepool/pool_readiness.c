#include "control/nodepool/pool_readiness.h"

#include <string.h>

#include "control/nodepool/pool_budgets.h"
#include "control/nodepool/pool_controller.h"
#include "control/runtime/control.h"
#include "model/schema/condition_types.h"
#include "model/schema/encode.h"
#include "model/validate/validate.h"
#include "model/validate/validate_runtime.h"
#include "reconcile/conditions.h"
#include "reconcile/operations.h"

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

struct pool_controller *pool_readiness_create(struct control *control)
{
    return pool_controller_create(control, "nodepool.readiness", reconcile, true);
}

// The node class's Ready condition. The provider defines its kind, so the condition is read by
// name.
static void read_class(const struct object *node_class, struct conditions *conditions)
{
    json_t *document = object_encode(node_class);
    json_t *list = json_object_get(json_object_get(document, "status"), "conditions");
    const char *status = NULL, *reason = "", *message = "";
    size_t index;
    json_t *entry;
    json_array_foreach (list, index, entry) {
        if (!text_equal(json_string_value(json_object_get(entry, "type")),
                        condition_name(CONDITION_READY)))
            continue;
        status = json_string_value(json_object_get(entry, "status"));
        reason = json_string_value(json_object_get(entry, "reason"));
        message = json_string_value(json_object_get(entry, "message"));
    }
    if (text_equal(status, "True"))
        conditions_set_true(conditions, CONDITION_NODE_CLASS_READY);
    else if (text_equal(status, "False"))
        conditions_set_named(conditions, CONDITION_NODE_CLASS_READY, "False", reason, message);
    else
        conditions_set(conditions, CONDITION_NODE_CLASS_READY, "False",
                       CONDITION_REASON_NODE_CLASS_READINESS_UNKNOWN,
                       "Node Class Readiness Unknown");
    json_decref(document);
}

static void check_class(const struct control *control, const struct node_pool *pool,
                        struct conditions *conditions)
{
    const char *name = pool->spec.template.spec.node_class_ref->name;
    const struct object *node_class =
        name != NULL ? mirror_get(control->manager.mirror, control->node_class_kind, NULL, name)
                     : NULL;
    if (node_class == NULL)
        conditions_set(conditions, CONDITION_NODE_CLASS_READY, "False",
                       CONDITION_REASON_NODE_CLASS_NOT_FOUND, "NodeClass not found on cluster");
    else if (object_is_deleting(node_class))
        conditions_set(conditions, CONDITION_NODE_CLASS_READY, "False",
                       CONDITION_REASON_NODE_CLASS_TERMINATING, "NodeClass is Terminating");
    else
        read_class(node_class, conditions);
}

static void check_spec(const struct control *control, const struct node_pool *pool,
                       struct conditions *conditions)
{
    const struct cloud_operations *cloud = control->cloud->operations;
    char message[4096];
    bool valid = node_pool_check(
        pool, cloud->well_known_labels != NULL ? cloud->well_known_labels(control->cloud) : NULL,
        control->cloud->provider->labels, message, sizeof message);
    if (valid)
        conditions_set_true(conditions, CONDITION_VALIDATION_SUCCEEDED);
    else
        conditions_set(conditions, CONDITION_VALIDATION_SUCCEEDED, "False",
                       CONDITION_REASON_NODE_POOL_VALIDATION_FAILED, message);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct control *control = ((struct pool_controller *)context)->control;
    const struct node_pool *pool = find_pool(control, work_item_key(item));
    (void)error;
    if (pool == NULL || !managed_pool(control, pool))
        return reconcile_done();
    // A class that has not been listed yet is not missing.
    if (!mirror_kind_synced(control->manager.mirror, control->node_class_kind))
        return reconcile_after(50 * MILLISECOND);
    struct arena *arena CLEANUP_ARENA = arena_create(2048);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)pool, &pool->status.conditions,
                    manager_now(&control->manager));
    check_class(control, pool, &conditions);
    check_spec(control, pool, &conditions);
    int64_t again_ns = pool_budgets_check(pool, &conditions, manager_now(&control->manager));
    struct reconcile_result result =
        again_ns != INT64_MAX ? reconcile_after(again_ns) : reconcile_done();
    if (conditions.changed) {
        json_t *body = json_locked((const struct object *)pool);
        json_object_set_new(body, "status",
                            json_pack("{s:o}", "conditions", conditions_encode(&conditions)));
        result = start_patch_status(
            &(struct operation_about){
                .manager = &control->manager, .item = item, .doing = "updating nodepool readiness"},
            (const struct object *)pool, body);
    }
    conditions_free(&conditions);
    return result;
}
