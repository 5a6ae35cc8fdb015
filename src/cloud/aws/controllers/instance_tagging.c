#include "cloud/aws/controllers/instance_tagging.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "cloud/aws/controllers/described_instance.h"
#include "reconcile/patch.h"

#define ANNOTATION_TAGGED         EC2_NODE_CLASS_GROUP "/tagged"
#define ANNOTATION_CLUSTER_TAGGED "compatibility.karpenter.k8s.aws/cluster-name-tagged"
#define LABEL_GROUP_ID            EC2_NODE_CLASS_GROUP "/placement-group-id"
#define LABEL_GROUP_PARTITION     EC2_NODE_CLASS_GROUP "/placement-group-partition"

#define TAG_NAME          "Name"
#define TAG_NODE_CLAIM    "karpenter.sh/nodeclaim"
#define TAG_CLUSTER       "eks:eks-cluster-name"
#define TAGGING_PAUSE_NS  SECOND // AWN-465: one CreateTags a second
#define PARTITION_POLL_NS (5 * SECOND)
#define BACKOFF_MAX_NS    MINUTE

// Each NodeClaim has its own: while one waits for its turn to be tagged, others are described.
struct tagging_work {
    char *uid;            // of the NodeClaim
    json_t *tags_missing; // NULL: not described yet
    bool ended;           // its instance is gone, or shifted away from
    bool tagged;          // its tags are complete
};
struct instance_tagging {
    struct manager *manager;
    const struct aws_controllers_environment *environment;
    struct reconcile_queue *tags, *partitions;
    int64_t next_tagging_ns;   // monotonic
    struct map *works;         // NodeClaim -> struct tagging_work
    char tags_claim[256];      // the NodeClaim whose call is under way: there is one worker
    struct map *partition_of;  // NodeClaim -> text of its partition number
    char partition_claim[256]; // the NodeClaim whose instance is described
};

static struct reconcile_result reconcile_tags(void *context, struct work_item *item,
                                              struct error *error);
static struct reconcile_result reconcile_partition(void *context, struct work_item *item,
                                                   struct error *error);

static void work_free(void *value)
{
    struct tagging_work *work = value;
    if (work == NULL)
        return;
    json_decref(work->tags_missing);
    free(work->uid);
    free(work);
}

static void forget_work(struct instance_tagging *tagging, const char *claim)
{
    work_free(map_remove(tagging->works, claim));
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct instance_tagging *tagging = context;
    if (change == MIRROR_DELETED) {
        reconcile_queue_forget(tagging->tags, old_object->meta.name);
        reconcile_queue_forget(tagging->partitions, old_object->meta.name);
        free(map_remove(tagging->partition_of, old_object->meta.name));
        forget_work(tagging, old_object->meta.name);
        return;
    }
    reconcile_queue_add(tagging->tags, new_object->meta.name);
    reconcile_queue_add(tagging->partitions, new_object->meta.name);
}

struct instance_tagging *instance_tagging_create(
    struct manager *manager, const struct aws_controllers_environment *environment)
{
    struct instance_tagging *tagging = memory_allocate(sizeof *tagging);
    tagging->manager = manager;
    tagging->environment = environment;
    tagging->works = map_create();
    tagging->partition_of = map_create();
    struct reconcile_queue_options options = {.name = "nodeclaim.tagging",
                                              .kind = "NodeClaim",
                                              .backoff_max_ns = BACKOFF_MAX_NS,
                                              .reconcile = reconcile_tags,
                                              .context = tagging};
    tagging->tags = manager_queue(manager, &options);
    options.name = "nodeclaim.placementgroup";
    options.reconcile = reconcile_partition;
    tagging->partitions = manager_queue(manager, &options);
    mirror_on_change(manager->mirror, KIND_NODE_CLAIM, on_claim, tagging);
    return tagging;
}

void instance_tagging_destroy(struct instance_tagging *tagging)
{
    if (tagging == NULL)
        return;
    map_destroy(tagging->works, work_free);
    map_destroy(tagging->partition_of, free);
    free(tagging);
}

static const struct node_claim *find_claim(const struct instance_tagging *tagging, const char *name)
{
    return (const struct node_claim *)mirror_get(tagging->manager->mirror, KIND_NODE_CLAIM, NULL,
                                                 name);
}

static bool is_managed(const struct node_claim *claim)
{
    const struct node_class_reference *reference = claim->spec.node_class_ref;
    return reference != NULL && text_equal(reference->group, EC2_NODE_CLASS_GROUP) &&
           text_equal(reference->kind, "EC2NodeClass");
}

// --- tags ----------------------------------------------------------------------------------------
static bool needs_tags(const struct node_claim *claim)
{
    const struct object *object = (const struct object *)claim;
    return claim != NULL && is_managed(claim) && !object_is_deleting(object) &&
           node_claim_is_launched(claim) && !text_is_empty(claim->status.node_name) &&
           (!text_equal(object_annotation(object, ANNOTATION_TAGGED), "true") ||
            !text_equal(object_annotation(object, ANNOTATION_CLUSTER_TAGGED), "true"));
}

static void want_tag(json_t *missing, const json_t *instance, const char *key, const char *value)
{
    if (described_tag(instance, key) == NULL && !text_is_empty(value))
        json_array_append_new(missing, json_pack("{s:s, s:s}", "Key", key, "Value", value));
}

// AWN-466: a tag that is there stays, the user's Name too.
static void note_instance(struct instance_tagging *tagging, struct tagging_work *work,
                          const json_t *instance)
{
    const char *zone_id = json_string_value(
        json_object_get(json_object_get(instance, "Placement"), "AvailabilityZoneId"));
    const struct node_claim *claim = find_claim(tagging, tagging->tags_claim);
    if (instance == NULL || claim == NULL ||
        (tagging->environment->zonal_shift != NULL &&
         zonal_shift_has(tagging->environment->zonal_shift, zone_id))) {
        work->ended = true;
        return;
    }
    work->tags_missing = json_array();
    want_tag(work->tags_missing, instance, TAG_NAME, claim->status.node_name);
    want_tag(work->tags_missing, instance, TAG_NODE_CLAIM, claim->meta.name);
    want_tag(work->tags_missing, instance, TAG_CLUSTER, tagging->manager->settings->cluster_name);
    work->tagged = json_array_size(work->tags_missing) == 0;
}

static enum operation_outcome note_described(void *context, const struct aws_result *result)
{
    struct instance_tagging *tagging = context;
    struct tagging_work *work = map_get(tagging->works, tagging->tags_claim);
    if (work == NULL) // the NodeClaim is gone
        return OPERATION_NOTED;
    if (result->fault == AWS_FAULT_NOT_FOUND) {
        work->ended = true;
        return OPERATION_NOTED;
    }
    if (result->error.kind != ERROR_NONE)
        return OPERATION_PASS;
    note_instance(tagging, work, described_instance(result->reply));
    return OPERATION_NOTED;
}

static enum operation_outcome note_tagged(void *context, const struct aws_result *result)
{
    struct instance_tagging *tagging = context;
    struct tagging_work *work = map_get(tagging->works, tagging->tags_claim);
    tagging->next_tagging_ns = ns_add(loop_monotonic_ns(tagging->manager->loop), TAGGING_PAUSE_NS);
    if (work == NULL)
        return OPERATION_NOTED;
    work->ended = result->fault == AWS_FAULT_NOT_FOUND;
    work->tagged = result->error.kind == ERROR_NONE;
    return work->ended || work->tagged ? OPERATION_NOTED : OPERATION_PASS;
}

static struct reconcile_result annotate(const struct operation_about *about,
                                        const struct node_claim *claim)
{
    json_t *body = json_object();
    json_t *annotations = json_metadata(body, "annotations");
    json_object_set_new(annotations, ANNOTATION_TAGGED, json_string("true"));
    json_object_set_new(annotations, ANNOTATION_CLUSTER_TAGGED, json_string("true"));
    return start_patch(about, (const struct object *)claim, NULL, body);
}

static struct reconcile_result create_tags(struct instance_tagging *tagging,
                                           const struct operation_about *about,
                                           const char *instance_id, const struct tagging_work *work)
{
    struct aws_request request = {.action = EC2_CREATE_TAGS,
                                  .parameters = json_pack("{s:[s], s:O}", "Resources", instance_id,
                                                          "Tags", work->tags_missing)};
    return start_aws_call(about, tagging->environment->client, &request, note_tagged, tagging);
}

static struct tagging_work *work_of(struct instance_tagging *tagging,
                                    const struct node_claim *claim)
{
    struct tagging_work *work = map_get(tagging->works, claim->meta.name);
    if (work != NULL && !text_equal(work->uid, claim->meta.uid)) {
        forget_work(tagging, claim->meta.name);
        work = NULL;
    }
    if (work == NULL) {
        work = map_ensure(tagging->works, claim->meta.name, sizeof *work);
        work->uid = memory_copy_string(claim->meta.uid);
    }
    return work;
}

static struct reconcile_result reconcile_tags(void *context, struct work_item *item,
                                              struct error *error)
{
    struct instance_tagging *tagging = context;
    const struct node_claim *claim = find_claim(tagging, work_item_key(item));
    struct operation_about about = {
        .manager = tagging->manager, .item = item, .doing = "tagging nodeclaim"};
    int64_t now = loop_monotonic_ns(tagging->manager->loop);
    (void)error;
    if (!needs_tags(claim)) {
        forget_work(tagging, work_item_key(item));
        return reconcile_done();
    }
    const char *instance_id = instance_id_of(claim->status.provider_id);
    if (instance_id == NULL) {
        log_error("failed parsing instance id", "s:controller", "nodeclaim.tagging", "o:NodeClaim",
                  claim->meta.name, "s:provider-id", claim->status.provider_id);
        return reconcile_done();
    }
    struct tagging_work *work = work_of(tagging, claim);
    if (work->ended) {
        forget_work(tagging, claim->meta.name);
        return reconcile_done();
    }
    if (work->tagged) {
        forget_work(tagging, claim->meta.name);
        return annotate(&about, claim);
    }
    if (tagging->next_tagging_ns > now)
        return reconcile_after(ns_subtract(tagging->next_tagging_ns, now));
    snprintf(tagging->tags_claim, sizeof tagging->tags_claim, "%s", claim->meta.name);
    if (work->tags_missing == NULL)
        return start_describe_instance(&about, tagging->environment->client, instance_id,
                                       note_described, tagging);
    return create_tags(tagging, &about, instance_id, work);
}

// --- partitions (AWN-153) ------------------------------------------------------------------------
static bool needs_partition(const struct node_claim *claim)
{
    const struct object *object = (const struct object *)claim;
    return claim != NULL && is_managed(claim) && !object_is_deleting(object) &&
           node_claim_is_launched(claim) && !text_is_empty(object_label(object, LABEL_GROUP_ID)) &&
           text_equal(object_label(object, LABEL_GROUP_PARTITION), "");
}

static enum operation_outcome note_partition(void *context, const struct aws_result *result)
{
    struct instance_tagging *tagging = context;
    int64_t number = json_integer_value(json_object_get(
        json_object_get(described_instance(result->reply), "Placement"), "PartitionNumber"));
    enum operation_outcome outcome = OPERATION_NOTED;
    if (result->error.kind != ERROR_NONE && result->fault != AWS_FAULT_NOT_FOUND)
        outcome = OPERATION_PASS;
    else if (find_claim(tagging, tagging->partition_claim) != NULL) {
        struct text text = {0};
        text_format(&text, "%lld", (long long)number); // "0": not known yet
        free(map_set(tagging->partition_of, tagging->partition_claim, text_take(&text)));
    }
    return outcome;
}

static struct reconcile_result reconcile_partition(void *context, struct work_item *item,
                                                   struct error *error)
{
    struct instance_tagging *tagging = context;
    const struct node_claim *claim = find_claim(tagging, work_item_key(item));
    struct operation_about about = {
        .manager = tagging->manager, .item = item, .doing = "labelling the partition"};
    (void)error;
    char *number CLEANUP_FREE = map_remove(tagging->partition_of, work_item_key(item));
    if (!needs_partition(claim) || instance_id_of(claim->status.provider_id) == NULL)
        return reconcile_done();
    if (text_equal(number, "0"))
        return reconcile_after(PARTITION_POLL_NS);
    if (number != NULL) {
        json_t *body = json_object();
        json_object_set_new(json_metadata(body, "labels"), LABEL_GROUP_PARTITION,
                            json_string(number));
        return start_patch(&about, (const struct object *)claim, NULL, body);
    }
    snprintf(tagging->partition_claim, sizeof tagging->partition_claim, "%s", claim->meta.name);
    return start_describe_instance(&about, tagging->environment->client,
                                   instance_id_of(claim->status.provider_id), note_partition,
                                   tagging);
}
