#include "control/nodeclaim/lifecycle.h"

#include <stdlib.h>

#include "base/duration.h"
#include "control/launch/launch_backoff.h"
#include "control/nodeclaim/finalize.h"
#include "control/nodeclaim/initialization.h"
#include "control/nodeclaim/launch.h"
#include "control/nodeclaim/liveness.h"
#include "control/nodeclaim/registration.h"
#include "control/nodepool/registration_health.h"
#include "control/runtime/machine_operations.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "control/state/device_drivers.h"
#include "control/state/disruption_counters.h"
#include "model/schema/condition_types.h"
#include "model/schema/encode.h"

struct lifecycle {
    struct lifecycle_shared shared;
    struct reconcile_queue *queue;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct lifecycle *lifecycle = context;
    (void)change;
    reconcile_queue_add(lifecycle->queue,
                        (new_object != NULL ? new_object : old_object)->meta.name);
}

static void add_claims_of(struct lifecycle *lifecycle, const struct object *object)
{
    const struct node *node = (const struct node *)object;
    const struct state_node *state =
        node != NULL ? cluster_state(lifecycle->shared.control->cluster, node->spec.provider_id)
                     : NULL;
    for (uint32_t i = 0; state != NULL && i < state->claims.count; i++)
        reconcile_queue_add(lifecycle->queue, state->claims.items[i]->meta.name);
}

// The fields of a Node that registration, initialization and deletion read. Heartbeats change none.
static bool node_matters(const struct node *a, const struct node *b)
{
    if (a == NULL || b == NULL || a->meta.generation != b->meta.generation ||
        a->meta.deletion_timestamp != b->meta.deletion_timestamp ||
        a->spec.taints.count != b->spec.taints.count ||
        a->meta.labels.count != b->meta.labels.count)
        return true;
    if (!text_equal(string_map_get(&b->meta.labels, LABEL_INITIALIZED), "true"))
        return true;
    return condition_is_true(&a->status.conditions, CONDITION_READY) !=
           condition_is_true(&b->status.conditions, CONDITION_READY);
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    (void)change;
    if (!node_matters((const struct node *)old_object, (const struct node *)new_object))
        return;
    add_claims_of(context, new_object != NULL ? new_object : old_object);
}

// LIF-22: the node of a slice may have waited for it.
static void on_slice(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct lifecycle *lifecycle = context;
    const char *name = resource_slice_node(new_object != NULL ? new_object : old_object);
    (void)change;
    if (name != NULL)
        add_claims_of(lifecycle,
                      mirror_get(lifecycle->shared.control->manager.mirror, KIND_NODE, NULL, name));
}

static void on_wake(void *context, const char *claim)
{
    struct lifecycle *lifecycle = context;
    reconcile_queue_add(lifecycle->queue, claim);
}

struct lifecycle *lifecycle_create(struct control *control, const struct lifecycle_parts *parts)
{
    struct lifecycle *lifecycle = memory_allocate(sizeof *lifecycle);
    lifecycle->shared.control = control;
    lifecycle->shared.parts = *parts;
    lifecycle->shared.records = map_create();
    uint32_t concurrency = manager_scale(&control->manager, 1000, 5000);
    lifecycle->queue = manager_queue(
        &control->manager, &(struct reconcile_queue_options){.name = "nodeclaim.lifecycle",
                                                             .kind = "NodeClaim",
                                                             .concurrency = concurrency,
                                                             .backoff_base_ns = SECOND,
                                                             .backoff_max_ns = MINUTE,
                                                             .rate = concurrency / 100.0,
                                                             .burst = concurrency / 10.0,
                                                             .reconcile = reconcile,
                                                             .context = lifecycle});
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, lifecycle);
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, lifecycle);
    mirror_on_change(control->manager.mirror, KIND_RESOURCE_SLICE, on_slice, lifecycle);
    wake_register(&control->manager, WAKE_LIFECYCLE, on_wake, lifecycle);
    return lifecycle;
}

void lifecycle_destroy(struct lifecycle *lifecycle)
{
    if (lifecycle == NULL)
        return;
    wake_register(&lifecycle->shared.control->manager, WAKE_LIFECYCLE, NULL, NULL);
    map_destroy(lifecycle->shared.records, claim_record_destroy);
    free(lifecycle);
}

// --- the pass ------------------------------------------------------------------------------------
static struct reconcile_result add_finalizer(struct claim_pass *pass)
{
    json_t *body = json_locked((const struct object *)pass->claim);
    json_object_set_new(json_object_get(body, "metadata"), "finalizers",
                        json_finalizers((const struct object *)pass->claim, true));
    return start_patch(&(struct operation_about){.manager = &pass->control->manager,
                                                 .item = pass->item,
                                                 .doing = "adding finalizer"},
                       (const struct object *)pass->claim, NULL, body);
}

static enum operation_outcome note_machine(void *context, const char *key,
                                           const struct machine_result *result)
{
    struct lifecycle_shared *shared = context;
    struct claim_record *record = map_get(shared->records, key);
    if (record == NULL)
        return OPERATION_NOTED;
    record_launch_result(record, result, loop_monotonic_ns(shared->control->manager.loop));
    if (result->error.kind != ERROR_NONE && result->error.kind != ERROR_INSUFFICIENT_CAPACITY &&
        result->error.kind != ERROR_NODE_CLASS_NOT_READY) {
        struct error error = result->error;
        error_prefix(&error, "launching nodeclaim");
        log_error("Reconciler error", "s:controller", "nodeclaim.lifecycle", "o:NodeClaim", key,
                  "s:error", error.message);
    }
    return OPERATION_NOTED;
}

static void write_resources(const struct resource_map *map, struct text *out)
{
    json_t *json = resource_map_encode(map);
    char *text = json_dumps(json, JSON_COMPACT);
    text_add(out, text);
    free(text);
    json_decref(json);
}

// The transitions of a status patch are published once, when it has succeeded (LIF-446).
static void publish_transitions(struct lifecycle_shared *shared, struct claim_record *record,
                                const struct node_claim *claim)
{
    struct control *control = shared->control;
    const struct object *object = (const struct object *)claim;
    struct text allocatable = {0};
    write_resources(&claim->status.allocatable, &allocatable);
    const char *zone = object_label(object, LABEL_ZONE);
    if (record->reports_launched) {
        log_info("launched nodeclaim", "s:controller", "nodeclaim.lifecycle", "o:NodeClaim",
                 claim->meta.name, "s:provider-id", claim->status.provider_id, "s:instance-type",
                 object_label(object, LABEL_INSTANCE_TYPE), "s:zone", zone, "s:capacity-type",
                 object_label(object, LABEL_CAPACITY_TYPE), "j:allocatable", allocatable.data);
        launch_backoff_launched(shared->parts.launch_backoff, claim);
        count_disrupted_begin(control, claim, "registration_timeout");
    }
    if (record->reports_registered) {
        log_info("registered nodeclaim", "s:controller", "nodeclaim.lifecycle", "o:NodeClaim",
                 claim->meta.name, "s:provider-id", claim->status.provider_id, "o:Node",
                 claim->status.node_name);
        metric_add(control->metrics.nodes_created, 1, object_label(object, LABEL_NODE_POOL), zone);
        registration_health_succeeded(shared->parts.registration_health, claim);
        launch_backoff_registered(shared->parts.launch_backoff, claim);
    }
    if (record->reports_initialized)
        log_info("initialized nodeclaim", "s:controller", "nodeclaim.lifecycle", "o:NodeClaim",
                 claim->meta.name, "s:provider-id", claim->status.provider_id, "o:Node",
                 claim->status.node_name, "j:allocatable", allocatable.data);
    text_free(&allocatable);
    record->reports_launched = record->reports_registered = record->reports_initialized = false;
}

static enum operation_outcome note_status(void *context, const char *key,
                                          const struct kube_result *result)
{
    struct lifecycle_shared *shared = context;
    struct claim_record *record = map_get(shared->records, key);
    if (result->error.kind == ERROR_NONE && record != NULL && result->object != NULL)
        publish_transitions(shared, record, (const struct node_claim *)result->object);
    return OPERATION_PASS;
}

static enum operation_outcome note_deleted(void *context, const char *key,
                                           const struct kube_result *result)
{
    struct lifecycle_shared *shared = context;
    struct control *control = shared->control;
    struct claim_record *record = map_get(shared->records, key);
    const struct node_claim *claim = find_claim(control, key);
    if (result->error.kind != ERROR_NONE || record == NULL || record->delete_reason == NULL ||
        claim == NULL)
        return OPERATION_PASS;
    count_disrupted(control, claim, record->delete_reason);
    record->delete_reason = NULL;
    return OPERATION_PASS;
}

static json_t *metadata_patch(const struct claim_pass *pass)
{
    json_t *body = json_locked((const struct object *)pass->claim);
    if (pass->labels != NULL)
        json_object_update(json_metadata(body, "labels"), pass->labels);
    if (pass->annotations != NULL)
        json_object_update(json_metadata(body, "annotations"), pass->annotations);
    return body;
}

static json_t *status_patch(const struct claim_pass *pass)
{
    json_t *body = json_locked((const struct object *)pass->claim);
    json_t *status = json_object();
    if (pass->status != NULL)
        json_object_update(status, pass->status);
    json_object_set_new(status, "conditions", conditions_encode(&pass->conditions));
    json_object_set_new(body, "status", status);
    return body;
}

// Starts the first due operation, or sets the requeue. The Node is patched before the NodeClaim's
// status, which describes the Node; metadata before status, since a launch counts as finished when
// its status is written (LIF-30).
static struct reconcile_result next_operation(struct claim_pass *pass, struct error *error)
{
    const struct object *claim = (const struct object *)pass->claim;
    struct operation_about about = {
        .manager = &pass->control->manager, .item = pass->item, .context = pass->shared};
    if (pass->delete_reason != NULL) { // no other write matters then
        about.doing = "deleting nodeclaim";
        about.record = note_deleted;
        pass->record->delete_reason = pass->delete_reason;
        return start_delete(&about, claim, -1);
    }
    if (pass->create) {
        about.doing = "nodeclaim.lifecycle";
        return start_machine_create(pass->control, &about, pass->claim, note_machine);
    }
    if (pass->node_patch != NULL) {
        about.doing = pass->node_doing;
        return start_patch(&about, (const struct object *)pass->node, NULL,
                           json_incref(pass->node_patch));
    }
    if (pass->labels != NULL || pass->annotations != NULL) {
        about.doing = "updating labels";
        return start_patch(&about, claim, NULL, metadata_patch(pass));
    }
    if (pass->status != NULL || pass->conditions.changed) {
        about.doing = "updating status";
        about.record = note_status;
        return start_patch_status(&about, claim, status_patch(pass));
    }
    if (pass->error.kind != ERROR_NONE) {
        *error = pass->error;
        return reconcile_error();
    }
    return pass->requeue_ns == INT64_MAX ? reconcile_done() : reconcile_after(pass->requeue_ns);
}

static struct reconcile_result live(struct claim_pass *pass, struct error *error)
{
    if (!object_has_finalizer((const struct object *)pass->claim, FINALIZER_TERMINATION))
        return add_finalizer(pass);
    claim_launch(pass);
    claim_register(pass);
    claim_initialize(pass);
    claim_open_node(pass);
    claim_liveness(pass);
    return next_operation(pass, error);
}

static void pass_free(struct claim_pass *pass)
{
    conditions_free(&pass->conditions);
    json_decref(pass->labels);
    json_decref(pass->annotations);
    json_decref(pass->status);
    json_decref(pass->node_patch);
    arena_destroy(pass->arena);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct lifecycle *lifecycle = context;
    struct control *control = lifecycle->shared.control;
    const struct node_claim *claim = find_claim(control, work_item_key(item));
    if (claim == NULL) {
        claim_record_forget(&lifecycle->shared, work_item_key(item));
        return reconcile_done();
    }
    if (!managed_claim(control, claim))
        return reconcile_done();
    struct claim_pass pass = {.control = control,
                              .shared = &lifecycle->shared,
                              .parts = &lifecycle->shared.parts,
                              .item = item,
                              .claim = claim,
                              .record = claim_record_for(&lifecycle->shared, claim),
                              .arena = arena_create(4096),
                              .now = manager_now(&control->manager),
                              .requeue_ns = INT64_MAX};
    conditions_read(&pass.conditions, pass.arena, (const struct object *)claim,
                    &claim->status.conditions, pass.now);
    struct reconcile_result result = object_is_deleting((const struct object *)claim)
                                         ? claim_finalize(&pass)
                                         : live(&pass, error);
    if (result.status == RECONCILE_ERROR && error->kind == ERROR_NONE)
        *error = pass.error;
    pass_free(&pass);
    return result;
}
