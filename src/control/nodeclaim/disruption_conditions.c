#include "control/nodeclaim/disruption_conditions.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/nodeclaim/consolidate_after.h"
#include "control/nodeclaim/drift_detection.h"
#include "control/nodeclaim/pod_churn.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "model/schema/condition_types.h"
#include "reconcile/conditions.h"
#include "reconcile/operations.h"

#define DRIFT_AGAIN_NS (5 * MINUTE) // DIS-78

struct disruption_conditions {
    struct control *control;
    struct reconcile_queue *queue;
    struct drift_detection *drift;
    struct pod_churn *pod_churn;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct disruption_conditions *disruption = context;
    (void)change;
    (void)old_object;
    if (new_object != NULL)
        reconcile_queue_add(disruption->queue, new_object->meta.name);
}

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct disruption_conditions *disruption = context;
    (void)change;
    if (old_object != NULL && new_object != NULL &&
        old_object->meta.generation == new_object->meta.generation &&
        text_equal(object_annotation(old_object, ANNOTATION_NODE_POOL_HASH),
                   object_annotation(new_object, ANNOTATION_NODE_POOL_HASH)) &&
        text_equal(object_annotation(old_object, ANNOTATION_NODE_POOL_HASH_VERSION),
                   object_annotation(new_object, ANNOTATION_NODE_POOL_HASH_VERSION)))
        return; // nothing else matters
    const char *name = (new_object != NULL ? new_object : old_object)->meta.name;
    struct mirror_iterator iterator = {0};
    for (const struct object *claim; (claim = mirror_next(disruption->control->manager.mirror,
                                                          KIND_NODE_CLAIM, &iterator)) != NULL;)
        if (text_equal(object_label(claim, LABEL_NODE_POOL), name))
            reconcile_queue_add(disruption->queue, claim->meta.name);
}

// DIS-77: the drift of this class's machines may have changed.
static void on_node_class(void *context, enum mirror_change change, const struct object *old_object,
                          const struct object *new_object)
{
    struct disruption_conditions *disruption = context;
    (void)change;
    const struct object *class = new_object != NULL ? new_object : old_object;
    struct mirror_iterator iterator = {0};
    for (const struct object *object; (object = mirror_next(disruption->control->manager.mirror,
                                                            KIND_NODE_CLAIM, &iterator)) != NULL;) {
        const struct node_class_reference *reference =
            ((const struct node_claim *)object)->spec.node_class_ref;
        if (reference != NULL && text_equal(reference->name, class->meta.name) &&
            text_equal(reference->kind, class->kind->name))
            reconcile_queue_add(disruption->queue, object->meta.name);
    }
}

// DIS-77: as above, for a machine of which the provider knows more now.
static void on_drift(void *context, const char *node_claim)
{
    struct disruption_conditions *disruption = context;
    reconcile_queue_add(disruption->queue, node_claim);
}

struct disruption_conditions *disruption_conditions_create(struct control *control)
{
    struct disruption_conditions *disruption = memory_allocate(sizeof *disruption);
    disruption->control = control;
    disruption->queue = manager_queue(
        &control->manager,
        &(struct reconcile_queue_options){.name = "nodeclaim.disruption",
                                          .kind = "NodeClaim",
                                          .concurrency = manager_scale(&control->manager, 10, 1000),
                                          .reconcile = reconcile,
                                          .context = disruption});
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, disruption);
    mirror_on_change(control->manager.mirror, KIND_NODE_POOL, on_pool, disruption);
    mirror_on_change(control->manager.mirror, control->node_class_kind, on_node_class, disruption);
    cloud_watch_drift(control->cloud, on_drift, disruption);
    disruption->drift = drift_detection_create(control);
    disruption->pod_churn = pod_churn_create(control);
    return disruption;
}

void disruption_conditions_destroy(struct disruption_conditions *disruption)
{
    if (disruption == NULL)
        return;
    cloud_watch_drift(disruption->control->cloud, NULL, NULL);
    drift_detection_destroy(disruption->drift);
    pod_churn_destroy(disruption->pod_churn);
    free(disruption);
}

// DIS-83 to DIS-88, and DIS-719. Returns the time until the next check; `*patch` gets the
// annotation to write beside the conditions, or NULL.
static int64_t evaluate_quiet(struct disruption_conditions *disruption,
                              struct conditions *conditions, const struct node_claim *claim,
                              const struct node_pool *pool, int64_t now, json_t **patch)
{
    *patch = NULL;
    if (pool->spec.replicas.present)
        return INT64_MAX;
    bool initialized =
        text_equal(conditions_get(conditions, CONDITION_INITIALIZED)->status, "True");
    int64_t since = claim_quiet_since(conditions, claim);
    bool rested = !pool_waits_for_quiet(pool) || !initialized ||
                  ns_add(since, pool->spec.disruption.consolidate_after.nanoseconds) <= now;
    struct pod_churn_result churn =
        pod_churn_evaluate(disruption->pod_churn, claim, pool, rested, since);
    int64_t left = claim_consolidatable(conditions, claim, pool, now, churn.quiet);
    *patch = churn.patch;
    return left < churn.recheck_ns ? left : churn.recheck_ns;
}

static void set_drifted(struct conditions *conditions, const struct node_claim *claim,
                        const char *reason)
{
    if (reason == NULL) {
        if (conditions_clear(conditions, CONDITION_DRIFTED))
            log_debug("removing drifted status condition, not drifted", "s:controller",
                      "nodeclaim.disruption", "o:NodeClaim", claim->meta.name);
        return;
    }
    if (!conditions_are(conditions, CONDITION_DRIFTED, "True"))
        log_debug("marking drifted", "s:controller", "nodeclaim.disruption", "o:NodeClaim",
                  claim->meta.name, "s:reason", reason);
    conditions_set_named(conditions, CONDITION_DRIFTED, "True", reason, reason);
}

// DIS-72 to DIS-78. Returns the time until the next check; *error if drift is unknown.
static int64_t claim_drifted(struct disruption_conditions *disruption,
                             struct conditions *conditions, const struct node_claim *claim,
                             const struct node_pool *pool, struct error *error)
{
    const char *reason;
    if (!text_equal(conditions_get(conditions, CONDITION_LAUNCHED)->status, "True")) {
        if (conditions_clear(conditions, CONDITION_DRIFTED))
            log_debug("removing drift status condition, isn't launched", "s:controller",
                      "nodeclaim.disruption", "o:NodeClaim", claim->meta.name);
        return INT64_MAX;
    }
    if (drift_detection_find(disruption->drift, claim, pool, &reason, error))
        set_drifted(conditions, claim, reason);
    else
        error_prefix(error, "getting drift");
    return DRIFT_AGAIN_NS;
}

// DIS-71: one condition is written even if the other is unknown.
static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct disruption_conditions *disruption = context;
    struct control *control = disruption->control;
    const struct node_claim *claim = find_claim(control, work_item_key(item));
    const struct node_pool *pool = claim != NULL ? pool_of_claim(control, claim) : NULL;
    if (pool == NULL || !managed_claim(control, claim) ||
        object_is_deleting((const struct object *)claim))
        return reconcile_done();
    struct arena *arena CLEANUP_ARENA = arena_create(2048);
    struct conditions conditions;
    int64_t now = manager_now(&control->manager);
    conditions_read(&conditions, arena, (const struct object *)claim, &claim->status.conditions,
                    now);
    conditions.changed = false; // the lifecycle controller adds missing ones
    int64_t recheck_ns = claim_drifted(disruption, &conditions, claim, pool, error);
    json_t *patch;
    int64_t left = evaluate_quiet(disruption, &conditions, claim, pool, now, &patch);
    recheck_ns = left < recheck_ns ? left : recheck_ns;
    struct reconcile_result result =
        recheck_ns == INT64_MAX ? reconcile_done() : reconcile_after(recheck_ns);
    if (conditions.changed) {
        json_t *body = json_locked((const struct object *)claim);
        json_object_set_new(body, "status",
                            json_pack("{s:o}", "conditions", conditions_encode(&conditions)));
        result =
            start_patch_status(&(struct operation_about){.manager = &control->manager,
                                                         .item = item,
                                                         .doing = "updating disruption conditions"},
                               (const struct object *)claim, body);
    } else if (patch != NULL) {
        result = start_patch(&(struct operation_about){.manager = &control->manager,
                                                       .item = item,
                                                       .doing = "noting a restless node"},
                             (const struct object *)claim, NULL, patch);
        patch = NULL;
    } else if (error->kind != ERROR_NONE) {
        result = reconcile_error();
    }
    json_decref(patch); // the next check makes it again
    conditions_free(&conditions);
    return result;
}
