#include "control/node/termination.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/command/interruptions.h"
#include "control/node/drain.h"
#include "control/node/drain_report.h"
#include "control/node/eviction_queue.h"
#include "control/node/machine_deletion.h"
#include "control/node/volume_wait.h"
#include "control/runtime/machine_operations.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "model/schema/condition_types.h"
#include "reconcile/conditions.h"

#define DRAIN_POLL_NS       SECOND
#define INSTANCE_POLL_NS    (5 * SECOND)
#define DRAIN_MINIMUM_NS    (5 * SECOND) // LIF-111
#define DRAIN_MINIMUM_SHORT SECOND
#define BLOCKED_TOLD_NS     (30 * SECOND) // LIF-449: between two changes of the condition's message

struct node_record { // a cache, made new after a restart
    char *uid;
    int64_t tainted_at_ns; // monotonic: when the taint was first seen; 0: not yet
    int64_t asked_at_ns;   // monotonic: when the cloud last said that the instance exists
    struct machine_deletion deletion;
    bool gone;          // our finalizer is off, and with it the Node: nobody else held it
    int64_t blocked_ns; // monotonic: since when pods hold the drain up, or were last named; 0: none
    bool drained_now;   // the status patch under way turns Drained to True
};

struct termination {
    struct control *control;
    struct eviction_queue *evictions;
    struct interruptions *interruptions;
    struct reconcile_queue *queue;
    struct map *records; // by Node name
};

struct node_pass {
    struct termination *termination;
    struct control *control;
    struct work_item *item;
    const struct node *node;
    const struct node_claim *claim; // NULL: none, or several (LIF-101)
    struct node_record *record;
    struct arena *arena;
    struct conditions conditions; // of the claim
    int64_t now, now_ns, deadline;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static const struct taint *disrupted_taint(const struct node *node)
{
    return find_taint(&node->spec.taints, TAINT_DISRUPTED, "NoSchedule");
}

static void record_destroy(void *value)
{
    struct node_record *record = value;
    free(record->uid);
    free(record);
}

static void forget(struct termination *termination, const char *name)
{
    struct node_record *record = map_remove(termination->records, name);
    if (record != NULL)
        record_destroy(record);
}

static struct node_record *record_for(struct termination *termination, const struct node *node)
{
    struct node_record *record = map_get(termination->records, node->meta.name);
    if (record != NULL && text_equal(record->uid, node->meta.uid))
        return record;
    forget(termination, node->meta.name);
    record = memory_allocate(sizeof *record);
    record->uid = memory_copy_string(node->meta.uid);
    map_set(termination->records, node->meta.name, record);
    return record;
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct termination *termination = context;
    (void)change;
    if (new_object == NULL) {
        forget(termination, old_object->meta.name);
        return;
    }
    const struct node *node = (const struct node *)new_object;
    if (disrupted_taint(node) != NULL) {
        struct node_record *record = record_for(termination, node);
        if (record->tainted_at_ns == 0)
            record->tainted_at_ns = loop_monotonic_ns(termination->control->manager.loop);
    } else {
        forget(termination, node->meta.name);
    }
    if (object_is_deleting(new_object))
        reconcile_queue_add(termination->queue, node->meta.name);
}

// The end of a node's pod may be the end of its drain.
static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct termination *termination = context;
    const struct pod *pod = (const struct pod *)(new_object != NULL ? new_object : old_object);
    (void)change;
    if (pod->spec.node_name == NULL)
        return;
    const struct node *node = find_node(termination->control, pod->spec.node_name);
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
    const struct node *node = name != NULL ? find_node(termination->control, name) : NULL;
    if (node != NULL && object_is_deleting((const struct object *)node))
        reconcile_queue_add(termination->queue, name);
}

struct termination *termination_create(struct control *control, struct eviction_queue *evictions,
                                       struct interruptions *interruptions)
{
    struct termination *termination = memory_allocate(sizeof *termination);
    termination->control = control;
    termination->evictions = evictions;
    termination->interruptions = interruptions;
    termination->records = map_create();
    return termination;
}

void termination_observe(struct termination *termination)
{
    struct control *control = termination->control;
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
    map_destroy(termination->records, record_destroy);
    free(termination);
}

static struct operation_about about(const struct node_pass *pass, const char *doing)
{
    return (struct operation_about){.manager = &pass->control->manager,
                                    .item = pass->item,
                                    .doing = doing,
                                    .context = pass->termination};
}

// --- writes --------------------------------------------------------------------------------------
static void wake_claim(const struct termination *termination, const char *node_name)
{
    const struct node *node = find_node(termination->control, node_name);
    const struct state_node *state =
        node != NULL ? cluster_state(termination->control->cluster, node->spec.provider_id) : NULL;
    for (uint32_t i = 0; state != NULL && i < state->claims.count; i++)
        wake(&termination->control->manager, WAKE_LIFECYCLE, state->claims.items[i]->meta.name);
}

bool termination_node_is_gone(const struct termination *termination, const struct node *node)
{
    const struct node_record *record = map_get(termination->records, node->meta.name);
    return record != NULL && record->gone && text_equal(record->uid, node->meta.uid);
}

static enum operation_outcome note_removed(void *context, const char *key,
                                           const struct kube_result *result)
{
    struct termination *termination = context;
    struct control_metrics *metrics = &termination->control->metrics;
    struct node_record *record = map_get(termination->records, key);
    bool gone = finalizer_is_off(result);
    if (record != NULL && gone) {
        record->deletion.finalized_ns = loop_monotonic_ns(termination->control->manager.loop);
        record->gone = result->error.kind == ERROR_NOT_FOUND ||
                       (result->object != NULL && object_is_deleting(result->object) &&
                        result->object->meta.finalizers.count == 0);
        wake_claim(termination, key);
    }
    if (result->error.kind != ERROR_NONE || result->object == NULL)
        return gone ? OPERATION_NOTED : OPERATION_PASS;
    const struct object *node = result->object;
    if (record != NULL && record->drained_now)
        metric_add(metrics->nodes_drained, 1, object_label(node, LABEL_NODE_POOL));
    const char *pool = object_label(node, LABEL_NODE_POOL);
    int64_t now = manager_now(&termination->control->manager);
    metric_add(metrics->nodes_terminated, 1, pool, object_label(node, LABEL_ZONE));
    metric_observe(metrics->node_termination_seconds,
                   seconds_between(node->meta.deletion_timestamp, now), pool);
    metric_observe(metrics->node_lifetime_seconds,
                   seconds_between(node->meta.creation_timestamp, now), pool);
    log_info("deleted node", "s:controller", "node.termination", "o:Node", key);
    return OPERATION_PASS;
}

// LIF-107.
static struct reconcile_result remove_finalizer(const struct node_pass *pass)
{
    struct operation_about removal = about(pass, "removing finalizer");
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

// LIF-105. Answers whether there is something to write.
static bool needs_taint(const struct node_pass *pass)
{
    return disrupted_taint(pass->node) == NULL ||
           !text_equal(string_map_get(&pass->node->meta.labels, LABEL_EXCLUDE_BALANCERS),
                       "karpenter");
}

static struct reconcile_result taint(const struct node_pass *pass)
{
    static const struct taint disrupted = {.key = TAINT_DISRUPTED, .effect = "NoSchedule"};
    json_t *body = json_locked((const struct object *)pass->node);
    struct operation_about patch = about(pass, "tainting node");
    json_object_set_new(json_metadata(body, "labels"), LABEL_EXCLUDE_BALANCERS,
                        json_string("karpenter"));
    if (disrupted_taint(pass->node) == NULL) {
        json_t *taints = json_array();
        const taint_list none = {0};
        list_for_each (present, &pass->node->spec.taints)
            if (!text_equal(present->key, TAINT_DISRUPTED)) {
                json_t *one = json_taints(&none, NULL, present);
                json_array_extend(taints, one);
                json_decref(one);
            }
        json_t *one = json_taints(&none, NULL, &disrupted);
        json_array_extend(taints, one);
        json_decref(one);
        json_object_set_new(body, "spec", json_pack("{s:o}", "taints", taints));
        patch.record = note_tainted;
    }
    return start_patch(&patch, (const struct object *)pass->node, NULL, body);
}

static enum operation_outcome note_conditions(void *context, const char *key,
                                              const struct kube_result *result)
{
    struct termination *termination = context;
    struct node_record *record = map_get(termination->records, key);
    if (result->error.kind == ERROR_NONE && record != NULL && record->drained_now) {
        const char *pool =
            result->object != NULL ? object_label(result->object, LABEL_NODE_POOL) : NULL;
        metric_add(termination->control->metrics.nodes_drained, 1, pool);
    }
    if (record != NULL)
        record->drained_now = false;
    return OPERATION_PASS;
}

// What the drain has reached goes into the NodeClaim (LIF-106); without change `otherwise` stands.
static struct reconcile_result write_conditions(struct node_pass *pass,
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
    struct operation_about patch = about(pass, "updating nodeclaim conditions");
    patch.record = note_conditions;
    return start_patch_status(&patch, (const struct object *)pass->claim, body);
}

static void set_condition(struct node_pass *pass, enum condition_type type, const char *status,
                          enum condition_reason reason)
{
    if (pass->claim != NULL)
        conditions_set(&pass->conditions, type, status, reason, condition_reason_name(reason));
}

static void set_condition_true(struct node_pass *pass, enum condition_type type)
{
    if (pass->claim != NULL)
        conditions_set_true(&pass->conditions, type);
}

// --- steps: each answers whether it is done, else *result ----------------------------------------
// The machine was gone before anybody here told it to go.
static void note_vanished(struct termination *termination, const char *name)
{
    struct control *control = termination->control;
    const struct node *node = find_node(control, name);
    const struct node_claim *claim =
        node != NULL ? cluster_claim_of(control->cluster, node, NULL) : NULL;
    if (claim != NULL &&
        !condition_is_true(&claim->status.conditions, CONDITION_INSTANCE_TERMINATING))
        interruptions_note(termination->interruptions, claim);
}

static enum operation_outcome note_instance(void *context, const char *key,
                                            const struct machine_result *result)
{
    struct termination *termination = context;
    struct node_record *record = map_get(termination->records, key);
    if (record == NULL)
        return OPERATION_NOTED;
    if (result->error.kind == ERROR_NOT_FOUND)
        note_vanished(termination, key);
    if (result->error.kind == ERROR_NOT_FOUND)
        record->deletion.is_gone = true;
    else if (result->error.kind != ERROR_NONE)
        return OPERATION_PASS;
    record->asked_at_ns = loop_monotonic_ns(termination->control->manager.loop);
    return OPERATION_NOTED;
}

// LIF-103: whether the machine of a Node that is not Ready is gone; then there is nothing to drain.
// Pods' volumes are waited for as long as the deadline allows (LIF-448).
static bool instance_vanished(struct node_pass *pass, struct reconcile_result *result, bool *wait)
{
    struct node_record *record = pass->record;
    const char *provider_id = pass->node->spec.provider_id;
    bool ready = condition_is_true(&pass->node->status.conditions, CONDITION_READY);
    // It came back: the provider was wrong, and is asked to end it.
    if (ready && !record->deletion.is_accepted)
        record->deletion.is_gone = false;
    if (ready || provider_id == NULL || *provider_id == '\0' || record->deletion.is_accepted)
        return false;
    if (!record->deletion.is_gone &&
        (record->asked_at_ns == 0 ||
         ns_subtract(pass->now_ns, record->asked_at_ns) >= INSTANCE_POLL_NS)) {
        struct operation_about question = about(pass, "node.termination");
        *result =
            start_machine_get(pass->termination->control, &question, provider_id, note_instance);
        *wait = true;
        return false;
    }
    if (!record->deletion.is_gone)
        return false;
    struct text names = {0};
    uint32_t attachments = volume_attachments_awaited(pass->control, pass->node, pass->now, &names);
    text_free(&names);
    *wait = attachments > 0 && pass->deadline != 0 && pass->now <= pass->deadline;
    *result = reconcile_after(DRAIN_POLL_NS);
    return !*wait;
}

// LIF-111: how long the taint must have been there before "no pods left" is believed. A pod may
// have been bound just before it; if no pod of the cluster is waiting for a node, only the moment
// between decision and binding is left.
static int64_t drain_minimum(const struct node_pass *pass)
{
    if (!pass->control->strategy->drains_briefly ||
        cluster_unbound_pods(pass->control->cluster) > 0)
        return DRAIN_MINIMUM_NS;
    return DRAIN_MINIMUM_SHORT;
}

// LIF-112. LIF-449: and which pods hold it up, told once for each set of them.
static void tell_waiting(struct node_pass *pass, uint32_t waiting, const char *blockers)
{
    bool names = blockers != NULL && pass->control->strategy->names_drain_blockers;
    publish_keyed(&pass->control->manager, (const struct object *)pass->node, EVENT_FAILED_DRAINING,
                  names ? blockers : pass->node->meta.name,
                  "Failed to drain node, %u pods are waiting to be evicted%s%s", waiting,
                  names ? ": " : "", names ? blockers : "");
}

// The condition's message names what has held the drain up for a while, and follows it slowly: it
// is written each time that it changes.
static const char *draining_message(struct node_pass *pass, const char *blockers)
{
    struct node_record *record = pass->record;
    const struct condition *present = conditions_get(&pass->conditions, CONDITION_DRAINED);
    if (blockers == NULL || !pass->control->strategy->names_drain_blockers) {
        record->blocked_ns = 0;
        return "Draining";
    }
    if (record->blocked_ns == 0)
        record->blocked_ns = pass->now_ns;
    if (ns_subtract(pass->now_ns, record->blocked_ns) < BLOCKED_TOLD_NS)
        return present != NULL && text_equal(present->reason, "Draining") ? present->message
                                                                          : "Draining";
    record->blocked_ns = pass->now_ns;
    return arena_format(pass->arena, "Draining, waiting for %s", blockers);
}

static void report_waiting(struct node_pass *pass, const struct pod_list *pods, uint32_t waiting)
{
    struct text blockers = {0};
    drain_blockers(pass->control, pass->termination->evictions, pods, pass->now, &blockers);
    tell_waiting(pass, waiting, blockers.data);
    if (pass->claim != NULL)
        conditions_set(&pass->conditions, CONDITION_DRAINED, "Unknown", CONDITION_REASON_DRAINING,
                       draining_message(pass, blockers.data));
    text_free(&blockers);
}

// LIF-450: a machine does not end without a word about the pods that are left on it.
static void tell_stuck(const struct node_pass *pass, const struct pod_list *pods)
{
    struct text names = {0};
    drain_stuck(pods, pass->now, &names);
    if (names.data != NULL && pass->control->strategy->names_drain_blockers)
        publish(&pass->control->manager, (const struct object *)pass->node, EVENT_FAILED_DRAINING,
                "Failed to drain node, no longer waiting for pods that do not end: %s", names.data);
    text_free(&names);
}

// Until its machine is told to end, a node takes pods that somebody binds to it past the taint:
// these are drained, too.
static bool drained(struct node_pass *pass, struct reconcile_result *result)
{
    struct drain drain;
    bool was_drained =
        pass->claim != NULL && conditions_are(&pass->conditions, CONDITION_DRAINED, "True");
    if (was_drained && (pass->record->deletion.is_accepted ||
                        conditions_are(&pass->conditions, CONDITION_INSTANCE_TERMINATING, "True")))
        return true;
    const struct pod_list *pods = cluster_pods(pass->control->cluster, pass->node->meta.name);
    drain_plan(&drain, pods, pass->deadline, pass->now);
    for (uint32_t i = 0; i < drain.evict.count; i++)
        eviction_queue_add(pass->termination->evictions, drain.evict.items[i], pass->deadline);
    uint32_t waiting = drain.waiting;
    drain_free(&drain);
    *result = reconcile_after(DRAIN_POLL_NS);
    if (waiting > 0) {
        report_waiting(pass, pods, waiting);
        return false;
    }
    if (was_drained)
        return true;
    int64_t left =
        ns_subtract(ns_add(pass->record->tainted_at_ns, drain_minimum(pass)), pass->now_ns);
    if (pass->claim != NULL && left > 0) {
        set_condition(pass, CONDITION_DRAINED, "Unknown", CONDITION_REASON_DRAINING);
        *result = reconcile_after(left < DRAIN_POLL_NS ? left : DRAIN_POLL_NS);
        return false;
    }
    tell_stuck(pass, pods);
    set_condition_true(pass, CONDITION_DRAINED);
    return true;
}

// LIF-130 to LIF-132.
static bool volumes_detached(struct node_pass *pass, struct reconcile_result *result)
{
    struct text names = {0};
    uint32_t count = volume_attachments_awaited(pass->control, pass->node, pass->now, &names);
    bool done = true;
    if (count == 0) {
        set_condition_true(pass, CONDITION_VOLUMES_DETACHED);
    } else if (pass->deadline != 0 && pass->now > pass->deadline) {
        set_condition(pass, CONDITION_VOLUMES_DETACHED, "False",
                      CONDITION_REASON_TERMINATION_GRACE_PERIOD_ELAPSED);
    } else {
        if (count > 5)
            text_format(&names, " and %u other(s)", count - 5);
        publish(&pass->control->manager, (const struct object *)pass->node,
                EVENT_AWAITING_VOLUME_DETACHMENT,
                "Awaiting deletion of bound volumeattachments (%s)", names.data);
        set_condition(pass, CONDITION_VOLUMES_DETACHED, "Unknown",
                      CONDITION_REASON_AWAITING_VOLUME_DETACHMENT);
        *result = reconcile_after(DRAIN_POLL_NS);
        done = false;
    }
    text_free(&names);
    return done;
}

static enum operation_outcome note_machine_deleted(void *context, const char *key,
                                                   const struct machine_result *result)
{
    struct termination *termination = context;
    struct node_record *record = map_get(termination->records, key);
    if (record == NULL)
        return OPERATION_NOTED;
    if (result->error.kind == ERROR_NOT_FOUND && !record->deletion.is_accepted)
        note_vanished(termination, key);
    return machine_deletion_note(&record->deletion, result);
}

// LIF-140. Without a NodeClaim the machine is ended by the Node's provider ID (LIF-447): a managed
// Node with our finalizer is ours.
static bool instance_terminated(struct node_pass *pass, struct reconcile_result *result)
{
    struct node_record *record = pass->record;
    const char *provider_id = pass->node->spec.provider_id;
    if (provider_id == NULL || *provider_id == '\0')
        return true;
    if (machine_deletion_is_due(&record->deletion, pass->now_ns)) {
        struct operation_about deletion = about(pass, "node.termination");
        *result = start_machine_delete(pass->termination->control, &deletion, provider_id,
                                       note_machine_deleted);
        return false;
    }
    set_condition_true(pass, CONDITION_INSTANCE_TERMINATING);
    *result = reconcile_after(ns_subtract(record->deletion.again_ns, pass->now_ns));
    return record->deletion.is_gone;
}

// Nothing to evict, no volume, no machine any more: what would be written into the NodeClaim now is
// gone with it a moment later. A step that took time is written down (LIF-106).
static bool ended_at_once(const struct node_pass *pass)
{
    return pass->claim != NULL && pass->control->strategy->skips_conditions_at_end &&
           condition_find(&pass->claim->status.conditions, CONDITION_DRAINED) == NULL;
}

// --- the frame -----------------------------------------------------------------------------------
static struct reconcile_result terminate(struct node_pass *pass)
{
    const struct object *node = (const struct object *)pass->node;
    struct reconcile_result result = reconcile_done();
    bool wait = false;
    if (pass->claim != NULL && !object_is_deleting((const struct object *)pass->claim)) {
        struct operation_about deletion = about(pass, "deleting nodeclaim");
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
    bool done = drained(pass, &result) && volumes_detached(pass, &result) &&
                instance_terminated(pass, &result);
    if (result.status == RECONCILE_RUNNING)
        return result; // what has been reached is written with the next step
    if (!done)
        return write_conditions(pass, result);
    if (ended_at_once(pass)) {
        pass->record->drained_now = true;
        return remove_finalizer(pass);
    }
    struct reconcile_result written = write_conditions(pass, reconcile_done());
    return written.status == RECONCILE_RUNNING ? written : remove_finalizer(pass);
}

static bool read_deadline(struct node_pass *pass, struct error *error)
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

// A NodeClaim that exists but does not decode still has its deadline and its conditions; going on
// as if there were none would end the machine before its time.
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
    struct control *control = termination->control;
    const struct node *node = find_node(control, work_item_key(item));
    if (node == NULL) {
        forget(termination, work_item_key(item));
        return reconcile_done();
    }
    if (!object_is_deleting((const struct object *)node) || !managed_node(control, node) ||
        !object_has_finalizer((const struct object *)node, FINALIZER_TERMINATION))
        return reconcile_done();
    if (claim_is_unreadable(control, node, error))
        return reconcile_error();
    struct node_pass pass = {.termination = termination,
                             .control = control,
                             .item = item,
                             .node = node,
                             .record = record_for(termination, node),
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
