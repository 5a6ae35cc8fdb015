#include "cloud/aws/nodeclass/node_class_hash.h"

#include <string.h>

#include "base/text.h"
#include "model/schema/drift_hash.h"
#include "reconcile/patch.h"

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void on_class(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct node_class_controllers *controllers = context;
    (void)change;
    (void)old_object;
    if (new_object != NULL)
        reconcile_queue_add(controllers->hash_queue, new_object->meta.name);
}

struct reconcile_queue *node_class_hash_create(struct node_class_controllers *controllers)
{
    struct reconcile_queue *queue = manager_queue(
        controllers->manager, &(struct reconcile_queue_options){.name = "nodeclass.hash",
                                                                .kind = "EC2NodeClass",
                                                                .concurrency = 10,
                                                                .reconcile = reconcile,
                                                                .context = controllers});
    mirror_on_change(controllers->manager->mirror, KIND_EC2_NODE_CLASS, on_class, controllers);
    return queue;
}

static bool has_version(const struct object *object)
{
    return text_equal(object_annotation(object, ANNOTATION_EC2_HASH_VERSION),
                      EC2_NODE_CLASS_HASH_VERSION);
}

static json_t *annotate(const char *hash)
{
    json_t *body = json_object();
    json_t *annotations = json_metadata(body, "annotations");
    json_object_set_new(annotations, ANNOTATION_EC2_HASH_VERSION,
                        json_string(EC2_NODE_CLASS_HASH_VERSION));
    if (hash != NULL)
        json_object_set_new(annotations, ANNOTATION_EC2_HASH, json_string(hash));
    return body;
}

// The value of ANNOTATION_PUBLIC_ADDRESSES: "all", "some" or "none" of the status's subnets; NULL:
// not known of one, or there is none, or it is right. None is noted only after others.
static const char *public_addresses(const struct node_class_controllers *controllers,
                                    const struct ec2_node_class *node_class)
{
    uint32_t public = 0, count = node_class->status.subnets.count;
    if (controllers->manager->settings->compatibility_upstream || count == 0)
        return NULL;
    list_for_each (subnet, &node_class->status.subnets) {
        struct optional_bool known =
            subnet_addresses_public(controllers->environment.addresses, text_or_empty(subnet->id));
        if (!known.present)
            return NULL;
        public += known.value;
    }
    const char *noted =
        object_annotation((const struct object *)node_class, ANNOTATION_PUBLIC_ADDRESSES);
    const char *value = public == 0 ? "none" : public == count ? "all" : "some";
    return text_equal(noted, value) || (public == 0 && noted == NULL) ? NULL : value;
}

static bool refers_to(const struct node_claim *claim, const struct object *node_class)
{
    const struct node_class_reference *reference = claim->spec.node_class_ref;
    return reference != NULL && text_equal(reference->group, EC2_NODE_CLASS_GROUP) &&
           text_equal(reference->kind, "EC2NodeClass") &&
           text_equal(reference->name, node_class->meta.name);
}

// AWN-71: NodeClaims that have drifted stay drifted.
static uint32_t migrate_claims(const struct operation_about *about, const struct object *node_class,
                               const char *hash)
{
    VECTOR(const struct object *) claims = {0};
    struct mirror_iterator iterator = {0};
    const struct object *object;
    while ((object = mirror_next(about->manager->mirror, KIND_NODE_CLAIM, &iterator)) != NULL)
        if (refers_to((const struct node_claim *)object, node_class) && !has_version(object))
            vector_push(&claims, object);
    uint32_t count = claims.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct node_claim *claim = (const struct node_claim *)claims.items[i];
        bool drifted = condition_find(&claim->status.conditions, CONDITION_DRIFTED) != NULL;
        start_patch(about, claims.items[i], NULL, annotate(drifted ? NULL : hash));
    }
    vector_free(&claims);
    return count;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct node_class_controllers *controllers = context;
    const struct object *object =
        mirror_get(controllers->manager->mirror, KIND_EC2_NODE_CLASS, NULL, work_item_key(item));
    (void)error;
    if (object == NULL)
        return reconcile_done();
    char hash[24];
    ec2_node_class_hash((const struct ec2_node_class *)object,
                        controllers->environment.cluster->ca_bundle, hash);
    struct operation_about about = {
        .manager = controllers->manager, .item = item, .doing = "updating node class hash"};
    bool current = has_version(object);
    if (!current && migrate_claims(&about, object, hash) > 0)
        return reconcile_running();
    const char *public = public_addresses(controllers, (const struct ec2_node_class *)object);
    if (current && text_equal(object_annotation(object, ANNOTATION_EC2_HASH), hash) &&
        public == NULL)
        return reconcile_done();
    json_t *body = annotate(hash);
    if (public != NULL)
        json_object_set_new(json_metadata(body, "annotations"), ANNOTATION_PUBLIC_ADDRESSES,
                            json_string(public));
    return start_patch(&about, object, NULL, body);
}
