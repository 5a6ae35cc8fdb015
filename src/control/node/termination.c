#include "control/node/termination.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/node/instance_end.h"
#include "control/node/machine_deletion.h"
#include "control/node/node_drain.h"
#include "control/node/termination_pass.h"
#include "control/node/volume_wait.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "model/schema/condition_types.h"
#include "reconcile/conditions.h"

#define VOLUMES_POLL_NS SECOND

struct termination {
    struct termination_shared shared;
    struct reconcile_queue *queue;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static const struct taint *disrupted_taint(const struct node *node)
{
    return find_taint(&node->spec.taints, TAINT_DISRUPTED, "NoSchedule");
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct termination *termination = context;
    (void)change;
    if (new_object == NULL) {
        node_record_forget(&termination->shared, old_object->meta.name);
        return;
    }
    const struct node *node = (const struct node *)new_object;
    if (disrupted_taint(node) != NULL) {
        struct node_record *record = node_record_for(&termination->shared, node);
        if (record->tainted_at_ns == 0)
            record->tainted_at_ns = loop_monotonic_ns(termination->shared.control->manager.loop);
    } else {
        node_record_forget(&termination->shared, node->meta.name);
    }
    if (object_is_deleting(new_object))
        reconcile_queue_add(termination->queue, node->meta.name);
}

// The end of a pod may end its node's drain.
static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct termination *termination = context;
    const struct pod *pod = (const struct pod *)(new_object != NULL ? new_object : old_object);
    (void)change;
    if (pod->spec.node_name == NULL)
        return;
    const struct node *node = find_node(termination->shared.control, pod->spec.node_name);
    if (node != NULL && object_is_deleting((const struct object *)node))
        reconcile_queue_add(termination->queue, node->meta.name);
}

static void on_attachment(void *context, enum mirror_change change, const struct object *old_object,
                          const struct object *new_object)
{
    struct termination *termination = context;
    const char *name =
        ((const struct volume_attachment *)(new_object != NULL ? new_object : old_object))
            ->spec.node_name;
    (void)change;
    const struct node *node = name != NULL ? find_node(termination->shared.control, name) : NULL;
    if (node != NULL && object_is_deleting((const struct object *)node))
        reconcile_queue_add(termination->queue, name);
}

struct termination *termination_create(struct control *control, struct eviction_queue *evictions,
                                       struct interruptions *interruptions)
{
    struct termination *termination = memory_allocate(sizeof *termination);
    termination->shared.control = control;
    termination->shared.evictions = evictions;
    termination->shared.interruptions = interruptions;
    termination->shared.records = map_create();
    return termination;
}

void termination_observe(struct termination *termination)
{
    struct control *control = termination->shared.control;
    uint32_t concurrency = manager_scale(&control->manager, 100, 5000);
    termination->queue = manager_queue(
        &control->manager, &(struct reconcile_queue_options){.name = "node.termination",
                                                             .kind = "Node",
                                                             .concurrency = concurrency,
                                                             .backoff_base_ns = 100 * MILLISECOND,
                                                             .backoff_max_ns = 10 * SECOND,
                                                             .rate = concurrency / 10.0,
                                                             .burst = concurrency,
                                                             .reconcile = reconcile,
                                                             .context = termination});
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, termination);
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, termination);
    mirror_on_change(control->manager.mirror, KIND_VOLUME_ATTACHMENT, on_attachment, termination);
}

void termination_destroy(struct termination *termination)
{
    if (termination == NULL)
        return;
    map_destroy(termination->shared.records, node_record_destroy);
    free(termination);
}

// --- writes --------------------------------------------------------------------------------------
static void wake_claim(const struct termination_shared *shared, const char *node_name)
{
    const struct node *node = find_node(shared->control, node_name);
    const struct state_node *state =
        node != NULL ? cluster_state(shared->control->cluster, node->spec.provider_id) : NULL;
    for (uint32_t i = 0; state != NULL && i < state->claims.count; i++)
        wake(&shared->control->manager, WAKE_LIFECYCLE, state->claims.items[i]->meta.name);
}

bool termination_node_is_gone(const struct termination *termination, const struct node *node)
{
    const struct node_record *record = map_get(termination->shared.records, node->meta.name);
    return record != NULL && record->gone && text_equal(record->uid, node->meta.uid);
}

static enum operation_outcome note_removed(void *context, const char *key,
                                           const struct kube_result *result)
{
    struct termination_shared *shared = context;
    struct control_metrics *metrics = &shared->control->metrics;
    struct node_record *record = map_get(shared->records, key);
    bool gone = finalizer_is_off(result);
    if (record != NULL && gone) {
        record->deletion.finalized_ns = loop_monotonic_ns(shared->control->manager.loop);
        record->gone = result->error.kind == ERROR_NOT_FOUND ||
                       (result->object != NULL && object_is_deleting(result->object) &&
                        result->object->meta.finalizers.count == 0);
        wake_claim(shared, key);
    }
    if (result->error.kind != ERROR_NONE || result->object == NULL)
        return gone ? OPERATION_NOTED : OPERATION_PASS;
    const struct object *node = result->object;
    if (record != NULL && record->drained_now)
        metric_add(metrics->nodes_drained, 1, object_label(node, LABEL_NODE_POOL));
    const char *pool = object_label(node, LABEL_NODE_POOL);
    int64_t now = manager_now(&shared->control->manager);
    metric_add(metrics->nodes_terminated, 1, pool, object_label(node, LABEL_ZONE));
    metric_observe(metrics->node_termination_seconds,
                   seconds_between(node->meta.deletion_timestamp, now), pool);
    metric_observe(metrics->node_lifetime_seconds,
                   seconds_between(node->meta.creation_timestamp, now), pool);
    log_info("deleted node", "s:controller", "node.termination", "o:Node", key);
    return OPERATION_PASS;
}

// LIF-107.
static struct reconcile_result remove_finalizer(const struct termination_pass *pass)
{
    struct operation_about removal = termination_about(pass, "removing finalizer");
    removal.record = note_removed;
    return finalizer_remove(&removal, (const struct object *)pass->node);
}

static enum operation_outcome note_tainted(void *context, const char *key,
                                           const struct kube_result *result)
{
    (void)context;
    if (result->error.kind == ERROR_NONE)
        log_info("tainted node", "s:controller", "node.termination", "o:Node", key, "s:taint.Key",
                 TAINT_DISRUPTED, "s:taint.Value", "", "s:taint.Effect", "NoSchedule");
    return OPERATION_PASS;
}

// LIF-105. True if there is a taint to write.
static bool needs_taint(const struct termination_pass *pass)
{
    return disrupted_taint(pass->node) == NULL ||
           !text_equal(string_map_get(&pass->node->meta.labels, LABEL_EXCLUDE_BALANCERS),
                       "karpenter");
}

static struct reconcile_result taint(const struct termination_pass *pass)
{
    static const struct taint disrupted = {.key = TAINT_DISRUPTED, .effect = "NoSchedule"};
    json_t *body = json_locked((const struct object *)pass->node);
    struct operation_about patch = termination_about(pass, "tainting node");
    json_object_set_new(json_metadata(body, "labels"), LABEL_EXCLUDE_BALANCERS,
                        json_string("karpenter"));
    if (disrupted_taint(pass->node) == NULL) {
        json_t *taints = json_array();
        list_for_each (present, &pass->node->spec.taints)
            if (!text_equal(present->key, TAINT_DISRUPTED))
                json_add_taint(taints, present);
        json_add_taint(taints, &disrupted);
        json_set_taints(body, taints);
        patch.record = note_tainted;
    }
    return start_patch(&patch, (const struct object *)pass->node, NULL, body);
}

static enum operation_outcome note_conditions(void *context, const char *key,
                                              const struct kube_result *result)
{
    struct termination_shared *shared = context;
    struct node_record *record = map_get(shared->records, key);
    if (result->error.kind == ERROR_NONE && record != NULL && record->drained_now) {
        const char *pool =
            result->object != NULL ? object_label(result->object, LABEL_NODE_POOL) : NULL;
        metric_add(shared->control->metrics.nodes_drained, 1, pool);
    }
    if (record != NULL)
        record->drained_now = false;
    return OPERATION_PASS;
}

// Writes the drain's progress into the NodeClaim (LIF-106); without a change returns `otherwise`.
static struct reconcile_result write_conditions(struct termination_pass *pass,
                                                struct reconcile_result otherwise)
{
    if (pass->claim == NULL || !pass->conditions.changed)
        return otherwise;
    pass->record->drained_now =
        conditions_are(&pass->conditions, CONDITION_DRAINED, "True") &&
        !condition_is_true(&pass->claim->status.conditions, CONDITION_DRAINED);
    json_t *body = json_locked((const struct object *)pass->claim);
    json_object_set_new(body, "status",
                        json_pack("{s:o}", "conditions", conditions_encode(&pass->conditions)));
    struct operation_about patch = termination_about(pass, "updating nodeclaim conditions");
    patch.record = note_conditions;
    return start_patch_status(&patch, (const struct object *)pass->claim, body);
}

// LIF-130 to LIF-132.
static bool volumes_detached(struct termination_pass *pass, struct reconcile_result *result)
{
    struct text names = {0};
    uint32_t count = volume_attachments_awaited(pass->control, pass->node, pass->now, &names);
    bool done = true;
    if (count == 0) {
        termination_set_condition_true(pass, CONDITION_VOLUMES_DETACHED);
    } else if (pass->deadline != 0 && pass->now > pass->deadline) {
        termination_set_condition(pass, CONDITION_VOLUMES_DETACHED, "False",
                                  CONDITION_REASON_TERMINATION_GRACE_PERIOD_ELAPSED);
    } else {
        if (count > 5)
            text_format(&names, " and %u other(s)", count - 5);
        publish(&pass->control->manager, (const struct object *)pass->node,
                EVENT_AWAITING_VOLUME_DETACHMENT,
                "Awaiting deletion of bound volumeattachments (%s)", names.data);
        termination_set_condition(pass, CONDITION_VOLUMES_DETACHED, "Unknown",
                                  CONDITION_REASON_AWAITING_VOLUME_DETACHMENT);
        *result = reconcile_after(VOLUMES_POLL_NS);
        done = false;
    }
    text_free(&names);
    return done;
}

// Nothing to evict, no volume and no machine are left: the NodeClaim is about to be deleted, so its
// conditions need no write. A step that took time is written (LIF-106).
static bool ended_at_once(const struct termination_pass *pass)
{
    return pass->claim != NULL && pass->control->strategy->skips_conditions_at_end &&
           condition_find(&pass->claim->status.conditions, CONDITION_DRAINED) == NULL;
}

// --- the pass ------------------------------------------------------------------------------------
static struct reconcile_result terminate(struct termination_pass *pass)
{
    const struct object *node = (const struct object *)pass->node;
    struct reconcile_result result = reconcile_done();
    bool wait = false;
    if (pass->claim != NULL && !object_is_deleting((const struct object *)pass->claim)) {
        struct operation_about deletion = termination_about(pass, "deleting nodeclaim");
        return start_delete(&deletion, (const struct object *)pass->claim, -1);
    }
    if (instance_vanished(pass, &result, &wait))
        return remove_finalizer(pass);
    if (wait)
        return result;
    if (pass->deadline != 0) {
        char text[INSTANT_TEXT_MAX];
        instant_format(pass->deadline, text);
        publish(&pass->control->manager, node, EVENT_TERMINATION_GRACE_PERIOD_EXPIRING,
                "All pods will be deleted by %s", text);
    }
    if (needs_taint(pass))
        return taint(pass);
    bool done = node_drained(pass, &result) && volumes_detached(pass, &result) &&
                instance_terminated(pass, &result);
    if (result.status == RECONCILE_RUNNING)
        return result; // the next step writes the progress
    if (!done)
        return write_conditions(pass, result);
    if (ended_at_once(pass)) {
        pass->record->drained_now = true;
        return remove_finalizer(pass);
    }
    struct reconcile_result written = write_conditions(pass, reconcile_done());
    return written.status == RECONCILE_RUNNING ? written : remove_finalizer(pass);
}

static bool read_deadline(struct termination_pass *pass, struct error *error)
{
    const char *text = pass->claim != NULL ? object_annotation((const struct object *)pass->claim,
                                                               ANNOTATION_TERMINATION_TIMESTAMP)
                                           : NULL;
    if (text == NULL)
        return true;
    if (instant_parse(text, &pass->deadline, error)) {
        if (pass->deadline == 0) // the epoch: long past; 0 would be none
            pass->deadline = NANOSECOND;
        return true;
    }
    error_prefix(error, "parsing annotation %s of nodeclaim %s", ANNOTATION_TERMINATION_TIMESTAMP,
                 pass->claim->meta.name);
    return false;
}

// A NodeClaim that exists but does not decode still has a deadline and conditions; without them the
// machine would end too early.
static bool claim_is_unreadable(const struct control *control, const struct node *node,
                                struct error *error)
{
    list_for_each (owner, &node->meta.owner_references)
        if (text_equal(owner->kind, "NodeClaim") &&
            mirror_is_invalid(control->manager.mirror, KIND_NODE_CLAIM, NULL, owner->name)) {
            error_set(
                error, ERROR_INVALID,
                "nodeclaim %s cannot be read, node %s waits for it to be corrected or removed",
                owner->name, node->meta.name);
            return true;
        }
    return false;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct termination *termination = context;
    struct control *control = termination->shared.control;
    const struct node *node = find_node(control, work_item_key(item));
    if (node == NULL) {
        node_record_forget(&termination->shared, work_item_key(item));
        return reconcile_done();
    }
    if (!object_is_deleting((const struct object *)node) || !managed_node(control, node) ||
        !object_has_finalizer((const struct object *)node, FINALIZER_TERMINATION))
        return reconcile_done();
    if (claim_is_unreadable(control, node, error))
        return reconcile_error();
    struct termination_pass pass = {.shared = &termination->shared,
                                    .control = control,
                                    .item = item,
                                    .node = node,
                                    .record = node_record_for(&termination->shared, node),
                                    .claim = cluster_claim_of(control->cluster, node, NULL),
                                    .arena = arena_create(2048),
                                    .now = manager_now(&control->manager),
                                    .now_ns = loop_monotonic_ns(control->manager.loop)};
    int64_t left = machine_deletion_watch_ns(&pass.record->deletion, pass.now_ns);
    if (left > 0) {
        arena_destroy(pass.arena);
        return reconcile_after(left);
    }
    struct reconcile_result result = reconcile_error();
    if (pass.claim != NULL)
        conditions_read(&pass.conditions, pass.arena, (const struct object *)pass.claim,
                        &pass.claim->status.conditions, pass.now);
    if (read_deadline(&pass, error))
        result = terminate(&pass);
    conditions_free(&pass.conditions);
    arena_destroy(pass.arena);
    return result;
}
