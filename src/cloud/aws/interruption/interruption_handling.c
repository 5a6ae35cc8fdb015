#include "cloud/aws/interruption/interruption_handling.h"

#include <assert.h>
#include <stdio.h>

#include "base/nanoseconds.h"
#include "model/reading/pool_annotations.h"
#include "model/schema/ec2_node_class.h"
#include "reconcile/events.h"
#include "reconcile/patch.h"

#define LABEL_RESERVATION_ID  EC2_NODE_CLASS_GROUP "/capacity-reservation-id"
#define LABEL_GROUP_ID        EC2_NODE_CLASS_GROUP "/placement-group-id"
#define LABEL_GROUP_PARTITION EC2_NODE_CLASS_GROUP "/placement-group-partition"

// EC2 ends the instance two minutes after the event; some seconds remain for the termination.
#define NOTICE_NS (2 * MINUTE)
#define SPARE_NS  (15 * SECOND)

#define OBJECT_NAME_MAX 253

struct subject {
    const struct interruption_handler *handler;
    const struct interruption_notice *notice;
    const struct node_claim *claim;
    const struct node *node; // or NULL
};

// AWI-570.
static void publish_events(const struct subject *subject)
{
    const struct interruption_row *row = interruption_row(subject->notice->kind);
    struct manager *manager = subject->handler->manager;
    const struct object *claim = (const struct object *)subject->claim;
    publish_keyed(manager, claim, row->reason, claim->meta.uid, "%s", row->message);
    if (subject->node != NULL)
        publish_keyed(manager, (const struct object *)subject->node, row->reason,
                      subject->node->meta.uid, "%s", row->message);
}

// AWI-565. AWI-960: only the pool of a spot instance, with the scope of its placement group.
static void mark_offerings(const struct subject *subject)
{
    const struct interruption_environment *environment = subject->handler->environment;
    const struct object *claim = (const struct object *)subject->claim;
    bool upstream = subject->handler->manager->settings->compatibility_upstream;
    const char *reservation = object_label(claim, LABEL_RESERVATION_ID);
    struct unavailable_pool pool = {.instance_type = object_label(claim, LABEL_INSTANCE_TYPE),
                                    .zone = object_label(claim, LABEL_ZONE),
                                    .capacity_type = "spot"};
    if (subject->notice->kind == INTERRUPTION_CAPACITY_RESERVATION_INTERRUPTED &&
        !text_is_empty(reservation))
        reservation_counts_exhausted(environment->reservations, reservation);
    if (subject->notice->kind != INTERRUPTION_SPOT_INTERRUPTED || pool.instance_type == NULL ||
        pool.zone == NULL)
        return;
    if (!upstream) {
        if (!text_equal(object_label(claim, LABEL_CAPACITY_TYPE), "spot"))
            return;
        pool.group_id = object_label(claim, LABEL_GROUP_ID);
        const char *partition = object_label(claim, LABEL_GROUP_PARTITION);
        pool.partition = text_is_empty(partition) ? NULL : partition;
    }
    unavailable_mark_pool(environment->unavailable, &pool, "spot_interrupted", NULL);
}

// AWI-954: the NodePool asks for the replacement of spot machines at risk. Their pool is avoided
// for a while, so that the replacement does not come of it.
static void plan_replacement(const struct subject *subject)
{
    const struct interruption_handler *handler = subject->handler;
    const struct object *claim = (const struct object *)subject->claim;
    const char *name = object_label(claim, LABEL_NODE_POOL);
    if (subject->notice->kind != INTERRUPTION_REBALANCE_RECOMMENDATION || name == NULL ||
        handler->manager->settings->compatibility_upstream ||
        !text_equal(object_label(claim, LABEL_CAPACITY_TYPE), "spot") ||
        !pool_annotation_is_true((const struct node_pool *)mirror_get(handler->manager->mirror,
                                                                      KIND_NODE_POOL, NULL, name),
                                 ANNOTATION_REPLACE_AT_RISK))
        return;
    struct unavailable_pool pool = {.instance_type = object_label(claim, LABEL_INSTANCE_TYPE),
                                    .zone = object_label(claim, LABEL_ZONE),
                                    .capacity_type = "spot"};
    bool news =
        planned_ends_note(handler->ends, subject->notice->instance_id, PLANNED_END_RISK, INT64_MAX);
    if (news && pool.instance_type != NULL && pool.zone != NULL)
        unavailable_mark_pool(handler->environment->unavailable, &pool, "rebalance_recommendation",
                              NULL);
}

// The instant by which the node has to be drained; NS_NEVER: none.
static int64_t deadline_of(const struct subject *subject)
{
    const struct interruption_row *row = interruption_row(subject->notice->kind);
    int64_t now = manager_now(subject->handler->manager);
    if (row->action == INTERRUPTION_FORCE)
        return now; // AWI-560
    // AWI-953. The instance of an older warning is gone, or the warning was false.
    if (!row->has_deadline || subject->notice->time == 0 ||
        subject->handler->manager->settings->compatibility_upstream ||
        now > ns_add(subject->notice->time, NOTICE_NS))
        return NS_NEVER;
    return ns_subtract(ns_add(subject->notice->time, NOTICE_NS), SPARE_NS);
}

// AWI-560: an annotation that is there stays. AWI-957: unless the new deadline is earlier.
static bool needs_deadline(const struct subject *subject, int64_t deadline)
{
    const char *text =
        object_annotation((const struct object *)subject->claim, ANNOTATION_TERMINATION_TIMESTAMP);
    int64_t present;
    if (deadline == NS_NEVER)
        return false;
    if (text == NULL)
        return true;
    if (subject->handler->manager->settings->compatibility_upstream)
        return false;
    return !instant_parse(text, &present, NULL) || present > deadline;
}

static void set_deadline(const struct subject *subject, const struct operation_about *about,
                         int64_t deadline)
{
    char text[INSTANT_TEXT_MAX];
    json_t *body = json_object();
    instant_format(deadline, text);
    json_object_set_new(json_metadata(body, "annotations"), ANNOTATION_TERMINATION_TIMESTAMP,
                        json_string(text));
    struct operation_about patch = *about;
    patch.doing = "annotating nodeclaim";
    patch.record = NULL;
    log_info("annotated nodeclaim", "s:controller", "interruption", "o:NodeClaim",
             subject->claim->meta.name, "s:" ANNOTATION_TERMINATION_TIMESTAMP, text);
    start_patch(&patch, (const struct object *)subject->claim, NULL, body);
}

// --- deletion (AWI-552) --------------------------------------------------------------------------
struct deletion {
    struct operation operation;
    const struct interruption_handler *handler;
    enum interruption_kind kind;
    char claim[OBJECT_NAME_MAX + 1], node[OBJECT_NAME_MAX + 1]; // names; "" without Node
};

static const char *termination_mode_of(const struct node_claim *claim)
{
    if (claim->spec.termination_grace_period.text == NULL)
        return "graceful";
    return claim->spec.termination_grace_period.nanoseconds <= 0 ? "forceful" : "eventual";
}

static void report_deletion(const struct deletion *deletion)
{
    struct manager *manager = deletion->handler->manager;
    const struct interruption_row *row = interruption_row(deletion->kind);
    const struct object *claim =
        mirror_get(manager->mirror, KIND_NODE_CLAIM, NULL, deletion->claim);
    const struct object *node = mirror_get(manager->mirror, KIND_NODE, NULL, deletion->node);
    if (claim == NULL)
        return; // gone already
    log_info("initiating delete from interruption message", "s:controller", "interruption",
             "s:messageKind", row->name, "o:NodeClaim", claim->meta.name, "s:action",
             row->action == INTERRUPTION_FORCE ? "ForcefulTermination" : "CordonAndDrain", "s:Node",
             node != NULL ? node->meta.name : NULL);
    publish_keyed(manager, claim, EVENT_TERMINATING_ON_INTERRUPTION, claim->meta.uid,
                  "Interruption triggered termination for the NodeClaim");
    if (node != NULL)
        publish_keyed(manager, node, EVENT_TERMINATING_ON_INTERRUPTION, node->meta.uid,
                      "Interruption triggered termination for the Node");
    // The core registers the family.
    struct metric *disrupted = metrics_find(manager->registry, NODE_CLAIMS_DISRUPTED);
    if (disrupted != NULL)
        metric_add(disrupted, 1, row->name, object_label(claim, LABEL_NODE_POOL),
                   object_label(claim, LABEL_CAPACITY_TYPE), "",
                   termination_mode_of((const struct node_claim *)claim));
}

static void delete_done(void *context, const struct kube_result *result)
{
    struct deletion *deletion = context;
    struct manager *manager = deletion->handler->manager;
    struct error error = result->error;
    if (result->error.kind == ERROR_NONE) {
        // Without finalizers the object is gone, and must not come back into the mirror.
        if (result->object != NULL && object_is_deleting(result->object))
            mirror_observe(manager->mirror, result->object);
        report_deletion(deletion);
    }
    operation_end(&deletion->operation, OPERATION_PASS, &error);
}

static void delete_claim(const struct subject *subject, const struct operation_about *about)
{
    const struct object *claim = (const struct object *)subject->claim;
    struct operation_about delete = *about;
    delete.doing = "deleting interrupted nodeclaim";
    struct deletion *deletion = operation_begin(&delete, sizeof *deletion);
    deletion->handler = subject->handler;
    deletion->kind = subject->notice->kind;
    snprintf(deletion->claim, sizeof deletion->claim, "%s", claim->meta.name);
    if (subject->node != NULL)
        snprintf(deletion->node, sizeof deletion->node, "%s", subject->node->meta.name);
    kube_delete(about->manager->client,
                &(struct kube_target){KIND_NODE_CLAIM, NULL, claim->meta.name, NULL},
                &(struct kube_delete_options){.uid = claim->meta.uid, .grace_period_seconds = -1},
                delete_done, deletion);
}

static uint32_t handle_claim(const struct subject *subject, const struct operation_about *about)
{
    const struct interruption_row *row = interruption_row(subject->notice->kind);
    int64_t deadline = deadline_of(subject);
    if (subject->notice->first) {
        publish_events(subject);
        mark_offerings(subject);
        plan_replacement(subject);
    }
    if (row->action == INTERRUPTION_NOTHING)
        return 0;
    if (needs_deadline(subject, deadline)) {
        set_deadline(subject, about, deadline);
        return 1; // and then the deletion
    }
    if (object_is_deleting((const struct object *)subject->claim))
        return 0;
    delete_claim(subject, about);
    return 1;
}

uint32_t interruption_handle(const struct interruption_handler *handler,
                             const struct operation_about *about,
                             const struct interruption_notice *notice)
{
    const struct node_claim *claims[CLAIMS_OF_INSTANCE_MAX];
    uint32_t started = 0;
    assert(notice->instance_id != NULL);
    if (notice->kind == INTERRUPTION_NO_OP)
        return 0;
    uint32_t count =
        instance_index_claims(handler->index, notice->instance_id, claims, CLAIMS_OF_INSTANCE_MAX);
    const struct node *node = instance_index_node(handler->index, notice->instance_id);
    for (uint32_t i = 0; i < count; i++)
        started += handle_claim(&(struct subject){handler, notice, claims[i], i == 0 ? node : NULL},
                                about);
    return started;
}
