#include "sim/workloads/autoscaler.h"

#include "base/nanoseconds.h"
#include "sim/workloads/workloads_internal.h"
#include "sim/world/world_write.h"

#define SYNC_INTERVAL (15 * SECOND)

static struct world_object *target_of(const struct world *world, const struct world_object *scaler)
{
    static const enum kind_id kinds[] = {KIND_DEPLOYMENT, KIND_REPLICA_SET, KIND_STATEFUL_SET,
                                         KIND_REPLICATION_CONTROLLER};
    const char *kind = world_text(scaler->json, "spec.scaleTargetRef.kind");
    const char *name = world_text(scaler->json, "spec.scaleTargetRef.name");
    for (size_t i = 0; name != NULL && i < ARRAY_LENGTH(kinds); i++)
        if (world->by_id[kinds[i]] != NULL &&
            text_equal(kind, world->by_id[kinds[i]]->resource->kind))
            return world_find(world, kinds[i], scaler->namespace, name);
    return NULL;
}

void autoscaler_sync(void *context, const char *key)
{
    struct workloads *workloads = context;
    struct world *world = workloads->world;
    struct world_object *scaler =
        world_find_other(world, "autoscaling", "horizontalpodautoscalers", key);
    if (scaler == NULL)
        return;
    const struct world_object *target = target_of(world, scaler);
    json_t *status = world_copy_status(scaler);
    json_object_set_new(status, "desiredReplicas", json_integer(0));
    if (target == NULL) {
        world_condition(world, status, "AbleToScale", "False", "FailedGetScale",
                        "the HPA controller was unable to get the target's current scale");
    } else {
        json_object_set_new(status, "currentReplicas",
                            json_integer(world_int(target->json, "status.replicas", 0)));
        world_condition(world, status, "AbleToScale", "True", "SucceededGetScale",
                        "the HPA controller was able to get the target's current scale");
        world_condition(world, status, "ScalingActive", "False", "FailedGetResourceMetric",
                        "the HPA was unable to compute the replica count: the containers of the "
                        "embedded cluster use nothing that could be measured");
    }
    world_set_status(world, scaler, status);
    work_queue_add_after(workloads->autoscalers, key, SYNC_INTERVAL);
}
