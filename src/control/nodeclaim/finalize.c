#include "control/nodeclaim/finalize.h"

#include "base/nanoseconds.h"
#include "control/node/machine_deletion.h"
#include "control/node/termination.h"
#include "control/nodeclaim/claim_pass.h"
#include "control/runtime/machine_operations.h"
#include "control/state/cluster.h"
#include "model/schema/condition_types.h"

static struct operation_about about(struct claim_pass *pass, const char *doing)
{
    return (struct operation_about){.manager = &pass->control->manager,
                                    .item = pass->item,
                                    .doing = doing,
                                    .context = pass->shared};
}

// LIF-80, step 0.
static struct reconcile_result annotate_deadline(struct claim_pass *pass)
{
    const struct node_claim *claim = pass->claim;
    int64_t deadline =
        ns_add(claim->meta.deletion_timestamp, claim->spec.termination_grace_period.nanoseconds);
    char text[INSTANT_TEXT_MAX];
    instant_format(deadline, text);
    json_t *body = json_locked((const struct object *)claim);
    json_object_set_new(json_metadata(body, "annotations"), ANNOTATION_TERMINATION_TIMESTAMP,
                        json_string(text));
    log_info("annotated nodeclaim", "s:controller", "nodeclaim.lifecycle", "o:NodeClaim",
             claim->meta.name, "s:" ANNOTATION_TERMINATION_TIMESTAMP, text);
    publish(&pass->control->manager, (const struct object *)claim,
            EVENT_TERMINATION_GRACE_PERIOD_EXPIRING, "All pods will be deleted by %s", text);
    struct operation_about annotate = about(pass, "annotating nodeclaim");
    return start_patch(&annotate, (const struct object *)claim, NULL, body);
}

// LIF-81, step 1: true while a Node exists. A Node with adze's finalizer is registered, even if the
// NodeClaim's status lags behind: it may have pods, so it is drained. Other Nodes of an
// unregistered NodeClaim stay (LIF-82).
static bool nodes_remain(struct claim_pass *pass, bool *started)
{
    const struct node_list *nodes =
        cluster_nodes_with(pass->control->cluster, pass->claim->status.provider_id);
    bool registered = condition_is_true(&pass->claim->status.conditions, CONDITION_REGISTERED);
    uint32_t remaining = 0;
    for (uint32_t i = 0; i < nodes->count; i++) {
        const struct object *node = (const struct object *)nodes->items[i];
        if (termination_node_is_gone(pass->parts->termination, nodes->items[i]) ||
            (!registered && !object_has_finalizer(node, FINALIZER_TERMINATION)))
            continue;
        remaining++;
        if (object_is_deleting(node))
            continue;
        struct operation_about deletion = about(pass, "deleting node");
        start_delete(&deletion, node, -1);
        *started = true;
    }
    return remaining > 0;
}

static enum operation_outcome note_machine_deleted(void *context, const char *key,
                                                   const struct machine_result *result)
{
    const struct lifecycle_shared *shared = context;
    struct claim_record *record = map_get(shared->records, key);
    return record != NULL ? machine_deletion_note(&record->deletion, result) : OPERATION_NOTED;
}

// A machine may be created while the NodeClaim is being deleted: only the record has its ID.
static const char *machine_of(const struct claim_pass *pass)
{
    const char *written = pass->claim->status.provider_id;
    if (written != NULL && *written != '\0')
        return written;
    return pass->record->machine_arena != NULL ? pass->record->machine.provider_id : NULL;
}

// LIF-83, step 2. True when the machine is gone.
static bool machine_gone(struct claim_pass *pass, struct reconcile_result *result)
{
    struct claim_record *record = pass->record;
    int64_t now_ns = loop_monotonic_ns(pass->control->manager.loop);
    if (machine_deletion_is_due(&record->deletion, now_ns)) {
        struct operation_about deletion = about(pass, "nodeclaim.lifecycle");
        *result =
            start_machine_delete(pass->control, &deletion, machine_of(pass), note_machine_deleted);
        return false;
    }
    if (record->deletion.is_gone)
        return true;
    // The condition reports the deletion of the machine, once.
    if (!condition_is_true(&pass->claim->status.conditions, CONDITION_INSTANCE_TERMINATING)) {
        conditions_set_true(&pass->conditions, CONDITION_INSTANCE_TERMINATING);
        json_t *body = json_locked((const struct object *)pass->claim);
        json_object_set_new(body, "status",
                            json_pack("{s:o}", "conditions", conditions_encode(&pass->conditions)));
        struct operation_about patch = about(pass, "updating status");
        *result = start_patch_status(&patch, (const struct object *)pass->claim, body);
        return false;
    }
    *result = reconcile_after(ns_subtract(record->deletion.next_call_ns, now_ns));
    return false;
}

static enum operation_outcome note_finalized(void *context, const char *key,
                                             const struct kube_result *result)
{
    const struct lifecycle_shared *shared = context;
    struct control *control = shared->control;
    struct claim_record *record = map_get(shared->records, key);
    bool gone = finalizer_is_off(result);
    if (record != NULL && gone)
        record->deletion.finalized_ns = loop_monotonic_ns(control->manager.loop);
    if (result->error.kind != ERROR_NONE || result->object == NULL ||
        result->object->kind->id != KIND_NODE_CLAIM)
        return gone ? OPERATION_NOTED : OPERATION_PASS;
    const struct node_claim *claim = (const struct node_claim *)result->object;
    const struct object *object = result->object;
    const char *pool = object_label(object, LABEL_NODE_POOL);
    int64_t now = manager_now(&control->manager);
    const struct condition *terminating =
        condition_find(&claim->status.conditions, CONDITION_INSTANCE_TERMINATING);
    if (terminating != NULL)
        metric_observe(control->metrics.instance_termination_seconds,
                       seconds_between(terminating->last_transition_time, now), pool);
    else if (record != NULL && record->deletion.is_gone) // at once: there was no condition to write
        metric_observe(control->metrics.instance_termination_seconds, 0, pool);
    metric_observe(control->metrics.node_claim_termination_seconds,
                   seconds_between(claim->meta.deletion_timestamp, now), pool);
    metric_add(control->metrics.node_claims_terminated, 1, pool,
               object_label(object, LABEL_CAPACITY_TYPE), object_label(object, LABEL_ZONE));
    log_info("deleted nodeclaim", "s:controller", "nodeclaim.lifecycle", "o:NodeClaim", key,
             "s:provider-id", claim->status.provider_id, "o:Node", claim->status.node_name);
    return OPERATION_PASS;
}

// LIF-85, step 3.
static struct reconcile_result remove_finalizer(struct claim_pass *pass)
{
    struct operation_about removal = about(pass, "removing finalizer");
    removal.record = note_finalized;
    return finalizer_remove(&removal, (const struct object *)pass->claim);
}

struct reconcile_result claim_finalize(struct claim_pass *pass)
{
    const struct object *claim = (const struct object *)pass->claim;
    if (!object_has_finalizer(claim, FINALIZER_TERMINATION))
        return reconcile_done();
    int64_t left = machine_deletion_watch_ns(&pass->record->deletion,
                                             loop_monotonic_ns(pass->control->manager.loop));
    if (left > 0)
        return reconcile_after(left); // the watch will show it; or the finalizer was added again
    if (pass->claim->spec.termination_grace_period.text != NULL &&
        object_annotation(claim, ANNOTATION_TERMINATION_TIMESTAMP) == NULL)
        return annotate_deadline(pass);
    bool started = false;
    if (nodes_remain(pass, &started))
        return started ? reconcile_running() : reconcile_done();
    // An unreadable Node is not gone: its pods would lose their machine.
    if (node_is_unreadable(pass->control, pass->claim)) {
        error_set(&pass->error, ERROR_INVALID,
                  "node %s cannot be read, nodeclaim %s waits for it to be corrected or removed",
                  pass->claim->status.node_name, pass->claim->meta.name);
        return reconcile_error();
    }
    struct reconcile_result result = reconcile_done();
    const char *provider_id = machine_of(pass);
    if (provider_id != NULL && *provider_id != '\0' && !machine_gone(pass, &result))
        return result;
    return remove_finalizer(pass);
}
