#include "control/node/instance_end.h"

#include "base/nanoseconds.h"
#include "control/command/interruptions.h"
#include "control/node/volume_wait.h"
#include "control/runtime/machine_operations.h"
#include "control/state/cluster.h"
#include "model/schema/condition_types.h"

#define INSTANCE_POLL_NS (5 * SECOND)
#define VOLUMES_POLL_NS  SECOND

// The machine was gone before adze deleted it.
static void note_vanished(struct termination_shared *shared, const char *name)
{
    struct control *control = shared->control;
    const struct node *node = find_node(control, name);
    const struct node_claim *claim =
        node != NULL ? cluster_claim_of(control->cluster, node, NULL) : NULL;
    if (claim != NULL &&
        !condition_is_true(&claim->status.conditions, CONDITION_INSTANCE_TERMINATING))
        interruptions_note(shared->interruptions, claim);
}

static enum operation_outcome note_instance(void *context, const char *key,
                                            const struct machine_result *result)
{
    struct termination_shared *shared = context;
    struct node_record *record = map_get(shared->records, key);
    if (record == NULL)
        return OPERATION_NOTED;
    if (result->error.kind == ERROR_NOT_FOUND)
        note_vanished(shared, key);
    if (result->error.kind == ERROR_NOT_FOUND)
        record->deletion.is_gone = true;
    else if (result->error.kind != ERROR_NONE)
        return OPERATION_PASS;
    record->asked_at_ns = loop_monotonic_ns(shared->control->manager.loop);
    return OPERATION_NOTED;
}

// LIF-103: whether the machine of a Node that is not Ready is gone; then there is nothing to drain.
// The pods' volumes may still detach until the deadline (LIF-448).
bool instance_vanished(struct termination_pass *pass, struct reconcile_result *result, bool *wait)
{
    struct node_record *record = pass->record;
    const char *provider_id = pass->node->spec.provider_id;
    bool ready = condition_is_true(&pass->node->status.conditions, CONDITION_READY);
    // The machine is back: the provider was wrong, and must delete it.
    if (ready && !record->deletion.is_accepted)
        record->deletion.is_gone = false;
    if (ready || provider_id == NULL || *provider_id == '\0' || record->deletion.is_accepted)
        return false;
    if (!record->deletion.is_gone &&
        (record->asked_at_ns == 0 ||
         ns_subtract(pass->now_ns, record->asked_at_ns) >= INSTANCE_POLL_NS)) {
        struct operation_about question = termination_about(pass, "node.termination");
        *result = start_machine_get(pass->shared->control, &question, provider_id, note_instance);
        *wait = true;
        return false;
    }
    if (!record->deletion.is_gone)
        return false;
    struct text names = {0};
    uint32_t attachments = volume_attachments_awaited(pass->control, pass->node, pass->now, &names);
    text_free(&names);
    *wait = attachments > 0 && pass->deadline != 0 && pass->now <= pass->deadline;
    *result = reconcile_after(VOLUMES_POLL_NS);
    return !*wait;
}

static enum operation_outcome note_machine_deleted(void *context, const char *key,
                                                   const struct machine_result *result)
{
    struct termination_shared *shared = context;
    struct node_record *record = map_get(shared->records, key);
    if (record == NULL)
        return OPERATION_NOTED;
    if (result->error.kind == ERROR_NOT_FOUND && !record->deletion.is_accepted)
        note_vanished(shared, key);
    return machine_deletion_note(&record->deletion, result);
}

// LIF-140. Without a NodeClaim the machine is deleted by the Node's provider ID (LIF-447): a
// managed Node with adze's finalizer is adze's.
bool instance_terminated(struct termination_pass *pass, struct reconcile_result *result)
{
    struct node_record *record = pass->record;
    const char *provider_id = pass->node->spec.provider_id;
    if (provider_id == NULL || *provider_id == '\0')
        return true;
    if (machine_deletion_is_due(&record->deletion, pass->now_ns)) {
        struct operation_about deletion = termination_about(pass, "node.termination");
        *result = start_machine_delete(pass->shared->control, &deletion, provider_id,
                                       note_machine_deleted);
        return false;
    }
    termination_set_condition_true(pass, CONDITION_INSTANCE_TERMINATING);
    *result = reconcile_after(ns_subtract(record->deletion.next_call_ns, pass->now_ns));
    return record->deletion.is_gone;
}
