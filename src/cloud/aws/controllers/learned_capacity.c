#include "cloud/aws/controllers/learned_capacity.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/nanoseconds.h"
#include "cloud/aws/controllers/kept_value.h"
#include "cloud/aws/nodeclass/ami_mapping.h"

#define CONTROLLER     "providers.instancetype.capacity"
#define STORE_DELAY_NS (30 * SECOND) // a wave of Nodes is written at once
#define BACKOFF_MAX_NS (1000 * SECOND)

struct learned_capacity {
    struct manager *manager;
    const struct aws_controllers_environment *environment;
    struct reconcile_queue *queue;
    struct kept_value *kept; // NULL: in memory only (AWI-22)
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static bool is_registered(const struct object *node)
{
    return node != NULL && text_equal(object_label(node, LABEL_REGISTERED), "true");
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct learned_capacity *capacity = context;
    if (change == MIRROR_DELETED)
        reconcile_queue_forget(capacity->queue, old_object->meta.name);
    else if (is_registered(new_object) && !is_registered(old_object) &&
             object_label(new_object, EC2_NODE_CLASS_GROUP "/ec2nodeclass") != NULL)
        reconcile_queue_add(capacity->queue, new_object->meta.name);
}

static void recall(void *context, const json_t *value)
{
    struct learned_capacity *capacity = context;
    uint32_t skipped = ec2_types_learned_decode(capacity->environment->types, value);
    if (skipped > 0)
        log_error("skipping kept sizes that cannot be read", "i:count", (int64_t)skipped);
    cloud_change_types(capacity->environment->cloud);
}

static json_t *encode(void *context)
{
    struct learned_capacity *capacity = context;
    return ec2_types_learned_encode(capacity->environment->types);
}

struct learned_capacity *learned_capacity_create(
    struct manager *manager, const struct aws_controllers_environment *environment)
{
    struct learned_capacity *capacity = memory_allocate(sizeof *capacity);
    struct reconcile_queue_options options = {.name = CONTROLLER,
                                              .kind = "Node",
                                              .backoff_max_ns = BACKOFF_MAX_NS,
                                              .reconcile = reconcile,
                                              .context = capacity};
    capacity->manager = manager;
    capacity->environment = environment;
    capacity->queue = manager_queue(manager, &options);
    mirror_on_change(manager->mirror, KIND_NODE, on_node, capacity);
    if (!manager->settings->compatibility_upstream)
        capacity->kept = kept_value_create(
            manager, &(struct kept_value_options){.controller = CONTROLLER,
                                                  .subject = "learned memory of instance types",
                                                  .namespace = environment->namespace,
                                                  .name = LEARNED_CAPACITY_NAME,
                                                  .key = "memory",
                                                  .recall = recall,
                                                  .encode = encode,
                                                  .context = capacity});
    return capacity;
}

void learned_capacity_destroy(struct learned_capacity *capacity)
{
    if (capacity == NULL)
        return;
    kept_value_destroy(capacity->kept);
    free(capacity);
}

// --- learning ------------------------------------------------------------------------------------
static const struct node_claim *claim_of(const struct learned_capacity *capacity,
                                         const struct node *node, uint32_t *count)
{
    struct mirror_iterator iterator = {0};
    const struct node_claim *found = NULL;
    *count = 0;
    for (const struct object *claim;
         (claim = mirror_next(capacity->manager->mirror, KIND_NODE_CLAIM, &iterator)) != NULL;)
        if (node->spec.provider_id != NULL &&
            text_equal(((const struct node_claim *)claim)->status.provider_id,
                       node->spec.provider_id)) {
            found = (const struct node_claim *)claim;
            (*count)++;
        }
    return found;
}

// AWI-21, 22.
static void learn(struct learned_capacity *capacity, const struct node *node,
                  const struct node_claim *claim, const struct ec2_node_class *node_class)
{
    const struct ec2_ami *ami = ami_for_labels(node_class, &node->meta.labels);
    const char *type = object_label((const struct object *)node, LABEL_INSTANCE_TYPE);
    int64_t memory = resource_map_get(&node->status.capacity, "memory");
    if (ami == NULL || type == NULL || memory <= 0 || !text_equal(ami->id, claim->status.image_id))
        return;
    if (!ec2_types_learn(capacity->environment->types, type, ami->id, memory))
        return;
    log_debug("updating discovered capacity cache", "s:controller", CONTROLLER, "i:memory-capacity",
              memory, "s:instance-type", type);
    cloud_change_types(capacity->environment->cloud);
    kept_value_changed(capacity->kept, STORE_DELAY_NS);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct learned_capacity *capacity = context;
    const struct node *node = (const struct node *)mirror_get(capacity->manager->mirror, KIND_NODE,
                                                              NULL, work_item_key(item));
    uint32_t count;
    if (!is_registered((const struct object *)node))
        return reconcile_done();
    const struct node_claim *claim = claim_of(capacity, node, &count);
    if (claim == NULL || claim->spec.node_class_ref == NULL)
        return reconcile_done();
    if (count > 1) {
        error_set(error, ERROR_INTERNAL, "several nodeclaims have the provider id of node %s",
                  node->meta.name);
        return reconcile_error();
    }
    const struct ec2_node_class *node_class = (const struct ec2_node_class *)mirror_get(
        capacity->manager->mirror, KIND_EC2_NODE_CLASS, NULL, claim->spec.node_class_ref->name);
    if (node_class == NULL) {
        error_set(error, ERROR_NOT_FOUND, "failed to get ec2nodeclass, %s is not there",
                  claim->spec.node_class_ref->name);
        return reconcile_error();
    }
    learn(capacity, node, claim, node_class);
    return reconcile_done();
}
