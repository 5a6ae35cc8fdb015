#include "cloud/aws/nodeclass/node_class_status.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/nodeclass/node_class_termination.h"
#include "cloud/aws/nodeclass/resolve_amis.h"
#include "cloud/aws/nodeclass/resolve_capacity.h"
#include "cloud/aws/nodeclass/resolve_network.h"
#include "cloud/aws/nodeclass/resolve_profile.h"
#include "cloud/aws/nodeclass/validate_node_class.h"
#include "model/schema/decode.h"
#include "model/schema/encode.h"
#include "model/tables/kinds.h"
#include "reconcile/events.h"
#include "reconcile/patch.h"

static const enum condition_type dependents[] = {CONDITION_AMIS_READY,
                                                 CONDITION_SUBNETS_READY,
                                                 CONDITION_SECURITY_GROUPS_READY,
                                                 CONDITION_INSTANCE_PROFILE_READY,
                                                 CONDITION_VALIDATION_SUCCEEDED,
                                                 CONDITION_PLACEMENT_GROUP_READY,
                                                 CONDITION_READY};
static const enum condition_type dependents_reserved[] = {CONDITION_AMIS_READY,
                                                          CONDITION_SUBNETS_READY,
                                                          CONDITION_SECURITY_GROUPS_READY,
                                                          CONDITION_INSTANCE_PROFILE_READY,
                                                          CONDITION_VALIDATION_SUCCEEDED,
                                                          CONDITION_PLACEMENT_GROUP_READY,
                                                          CONDITION_CAPACITY_RESERVATIONS_READY,
                                                          CONDITION_READY};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void on_class(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct node_class_controllers *controllers = context;
    (void)change;
    (void)old_object;
    if (new_object != NULL)
        reconcile_queue_add(controllers->status_queue, new_object->meta.name);
}

// AWN-30: a deleted NodeClaim may have been the last one of its NodeClass.
static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct node_class_controllers *controllers = context;
    (void)new_object;
    if (change != MIRROR_DELETED)
        return;
    const struct node_class_reference *reference =
        ((const struct node_claim *)old_object)->spec.node_class_ref;
    if (reference != NULL && reference->name != NULL &&
        mirror_get(controllers->manager->mirror, KIND_EC2_NODE_CLASS, NULL, reference->name) !=
            NULL)
        reconcile_queue_add(controllers->status_queue, reference->name);
}

struct reconcile_queue *node_class_status_create(struct node_class_controllers *controllers)
{
    struct manager *manager = controllers->manager;
    struct reconcile_queue *queue = manager_queue(
        manager, &(struct reconcile_queue_options){.name = "nodeclass",
                                                   .kind = "EC2NodeClass",
                                                   .concurrency = 10,
                                                   .backoff_base_ns = 100 * MILLISECOND,
                                                   .backoff_max_ns = MINUTE,
                                                   .rate = 10,
                                                   .burst = 100,
                                                   .reconcile = reconcile,
                                                   .context = controllers});
    mirror_on_change(manager->mirror, KIND_EC2_NODE_CLASS, on_class, controllers);
    mirror_on_change(manager->mirror, KIND_NODE_CLAIM, on_claim, controllers);
    return queue;
}

// --- the status ----------------------------------------------------------------------------------
static void set_list(json_t *status, const char *key, json_t *list)
{
    if (list == NULL)
        return;
    if (json_array_size(list) > 0)
        json_object_set(status, key, list);
    else
        json_object_del(status, key);
}

// The status as this pass has it; without conditions.
static json_t *new_status(const struct class_pass *pass, const json_t *old)
{
    json_t *status = old != NULL ? json_deep_copy(old) : json_object();
    set_list(status, "amis", pass->amis);
    set_list(status, "subnets", pass->subnets);
    set_list(status, "securityGroups", pass->security_groups);
    set_list(status, "capacityReservations", pass->capacity_reservations);
    if (pass->instance_profile != NULL)
        json_object_set_new(status, "instanceProfile", json_string(pass->instance_profile));
    return status;
}

// The NodeClass with another status; NULL with the error.
static struct object *with_status(const json_t *object, json_t *status, struct error *error)
{
    json_t *copy = json_copy((json_t *)object);
    json_object_set(copy, "status", status);
    struct object *draft = document_decode(copy, DECODE_LENIENT, error);
    json_decref(copy);
    return draft;
}

static void validate(struct class_pass *pass, const json_t *object)
{
    struct error error = {0};
    json_t *status = new_status(pass, json_object_get(object, "status"));
    struct object *draft = with_status(object, status, &error);
    json_decref(status);
    if (draft == NULL) {
        pass_note_error(pass, &error);
        return;
    }
    validate_node_class(pass, (const struct ec2_node_class *)draft);
    object_release(draft);
}

// Compares in one form: defaults such as false are left out of what is read.
static bool is_same(const json_t *object, json_t *status)
{
    struct object *draft = with_status(object, status, NULL);
    if (draft == NULL)
        return false;
    json_t *encoded = object_encode(draft);
    bool same = json_equal(json_object_get(encoded, "status"), json_object_get(object, "status"));
    json_decref(encoded);
    object_release(draft);
    return same;
}

// A merge patch: lists that are gone are null.
static json_t *status_patch(const json_t *old, json_t *status)
{
    json_t *patch = json_deep_copy(status);
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)old, key, value)
        if (json_object_get(status, key) == NULL)
            json_object_set_new(patch, key, json_null());
    return patch;
}

static void resolve(struct class_pass *pass, const json_t *object)
{
    resolve_amis(pass);
    if (pass->settings->gate_reserved_capacity)
        resolve_capacity_reservations(pass);
    resolve_placement_group(pass);
    resolve_subnets(pass);
    resolve_security_groups(pass);
    resolve_instance_profile(pass);
    if (!pass->pending) // validation reads the results of all
        validate(pass, object);
}

// An event for each condition that says what is wrong, also for those of the first pass, which are
// no transitions. Waiting is not wrong.
static void tell_problems(struct class_pass *pass)
{
    const struct object *object = (const struct object *)pass->node_class;
    if (pass->settings->compatibility_upstream)
        return;
    for (size_t i = 0; dependents_reserved[i] != CONDITION_READY; i++) {
        const struct condition *condition =
            conditions_get(&pass->conditions, dependents_reserved[i]);
        if (condition == NULL || text_equal(condition->status, "True") ||
            text_is_empty(condition->message) ||
            text_equal(condition->reason,
                       condition_reason_name(CONDITION_REASON_AWAITING_RECONCILIATION)) ||
            text_equal(condition->reason,
                       condition_reason_name(CONDITION_REASON_DEPENDENCIES_NOT_READY)))
            continue;
        struct text key = {0};
        text_format(&key, "%s-%s-%s", text_or_empty(object->meta.uid), condition->type,
                    condition->reason);
        publish_keyed(pass->controllers->manager, object, EVENT_NODE_CLASS_PROBLEM, key.data,
                      "%s is %s (%s): %s", condition->type, condition->status, condition->reason,
                      condition->message);
        text_free(&key);
    }
}

static struct reconcile_result conclude(struct class_pass *pass, const json_t *object,
                                        struct error *error)
{
    for (uint32_t i = 0; i < pass->failures.count; i++)
        answers_drop(pass->controllers->answers, pass->failures.items[i]);
    const json_t *old = json_object_get(object, "status");
    tell_problems(pass);
    json_t *status = new_status(pass, old);
    json_object_set_new(status, "conditions", conditions_encode(&pass->conditions));
    if (!is_same(object, status)) {
        json_t *body = json_locked((const struct object *)pass->node_class);
        json_object_set_new(body, "status", status_patch(old, status));
        json_decref(status);
        // The patch's answer brings the item back; the errors are then seen again.
        return start_patch_status(&(struct operation_about){.manager = pass->controllers->manager,
                                                            .item = pass->item,
                                                            .doing = "updating node class status"},
                                  (const struct object *)pass->node_class, body);
    }
    json_decref(status);
    if (pass->error.kind != ERROR_NONE) {
        *error = pass->error;
        return reconcile_error();
    }
    return pass->requeue_ns == INT64_MAX ? reconcile_done() : reconcile_after(pass->requeue_ns);
}

static void pass_begin(struct class_pass *pass, struct node_class_controllers *controllers,
                       struct work_item *item, const struct ec2_node_class *node_class)
{
    *pass = (struct class_pass){.controllers = controllers,
                                .item = item,
                                .node_class = node_class,
                                .settings = controllers->manager->settings,
                                .arena = arena_create(4096),
                                .requeue_ns = INT64_MAX};
    conditions_read_with(&pass->conditions, pass->arena, (const struct object *)node_class,
                         &node_class->status.conditions, manager_now(controllers->manager),
                         pass->settings->gate_reserved_capacity ? dependents_reserved : dependents);
    pass->conditions.orders_transitions = true;
}

static void pass_end(struct class_pass *pass)
{
    json_decref(pass->amis);
    json_decref(pass->subnets);
    json_decref(pass->security_groups);
    json_decref(pass->capacity_reservations);
    vector_free(&pass->failures);
    conditions_free(&pass->conditions);
    arena_destroy(pass->arena);
}

static struct reconcile_result add_finalizer(struct node_class_controllers *controllers,
                                             struct work_item *item, const struct object *object)
{
    json_t *body = json_locked(object);
    json_t *finalizers = string_list_encode(&object->meta.finalizers);
    if (!json_is_array(finalizers)) {
        json_decref(finalizers);
        finalizers = json_array();
    }
    json_array_append_new(finalizers, json_string(FINALIZER_EC2_NODE_CLASS));
    json_object_set_new(json_object_get(body, "metadata"), "finalizers", finalizers);
    return start_patch(&(struct operation_about){.manager = controllers->manager,
                                                 .item = item,
                                                 .doing = "adding the finalizer"},
                       object, NULL, body);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct node_class_controllers *controllers = context;
    const struct object *object =
        mirror_get(controllers->manager->mirror, KIND_EC2_NODE_CLASS, NULL, work_item_key(item));
    if (object == NULL)
        return reconcile_done();
    const struct ec2_node_class *node_class = (const struct ec2_node_class *)object;
    if (object_is_deleting(object))
        return node_class_terminate(controllers, item, node_class, error);
    if (!object_has_finalizer(object, FINALIZER_EC2_NODE_CLASS))
        return add_finalizer(controllers, item, object);
    struct class_pass pass;
    pass_begin(&pass, controllers, item, node_class);
    json_t *encoded = object_encode(object);
    resolve(&pass, encoded);
    struct reconcile_result result =
        pass.pending ? reconcile_running() : conclude(&pass, encoded, error);
    json_decref(encoded);
    pass_end(&pass);
    return result;
}
