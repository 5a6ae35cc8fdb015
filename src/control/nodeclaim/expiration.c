#include "control/nodeclaim/expiration.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/runtime/control.h"
#include "control/state/disruption_counters.h"
#include "reconcile/operations.h"

struct expiration {
    struct control *control;
    struct reconcile_queue *queue;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct expiration *expiration = context;
    (void)old_object;
    if (change == MIRROR_ADDED) // creation time and expireAfter never change
        reconcile_queue_add(expiration->queue, new_object->meta.name);
    if (change == MIRROR_DELETED)
        reconcile_queue_forget(expiration->queue, old_object->meta.name);
}

struct expiration *expiration_create(struct control *control)
{
    struct expiration *expiration = memory_allocate(sizeof *expiration);
    expiration->control = control;
    expiration->queue = manager_queue(
        &control->manager, &(struct reconcile_queue_options){.name = "nodeclaim.expiration",
                                                             .kind = "NodeClaim",
                                                             .concurrency = 10,
                                                             .reconcile = reconcile,
                                                             .context = expiration});
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, expiration);
    return expiration;
}

void expiration_destroy(struct expiration *expiration)
{
    free(expiration);
}

static enum operation_outcome note_deleted(void *context, const char *key,
                                           const struct kube_result *result)
{
    struct expiration *expiration = context;
    struct control *control = expiration->control;
    const struct node_claim *claim = find_claim(control, key);
    if (result->error.kind != ERROR_NONE || claim == NULL)
        return OPERATION_PASS;
    log_debug("deleting expired nodeclaim", "s:controller", "nodeclaim.expiration", "o:NodeClaim",
              key);
    count_disrupted_node(control, claim, "expired");
    return OPERATION_PASS;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct expiration *expiration = context;
    const struct node_claim *claim = find_claim(expiration->control, work_item_key(item));
    (void)error;
    if (claim == NULL || !managed_claim(expiration->control, claim) ||
        object_is_deleting((const struct object *)claim) || claim->spec.expire_after.text == NULL ||
        claim->spec.expire_after.nanoseconds == DURATION_NEVER)
        return reconcile_done();
    int64_t left =
        ns_subtract(ns_add(claim->meta.creation_timestamp, claim->spec.expire_after.nanoseconds),
                    manager_now(&expiration->control->manager));
    if (left > 0)
        return reconcile_after(left);
    return start_delete(&(struct operation_about){.manager = &expiration->control->manager,
                                                  .item = item,
                                                  .doing = "deleting expired nodeclaim",
                                                  .record = note_deleted,
                                                  .context = expiration},
                        (const struct object *)claim, -1);
}
