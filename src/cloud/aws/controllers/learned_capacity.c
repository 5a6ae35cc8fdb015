#include "cloud/aws/controllers/learned_capacity.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/url.h"
#include "cloud/aws/nodeclass/ami_mapping.h"
#include "kube/path.h"
#include "reconcile/operations.h"

#define CONTROLLER        "providers.instancetype.capacity"
#define STORE_KEY         "store"
#define STORE_DELAY_NS    (30 * SECOND) // a wave of Nodes is written at once
#define STORE_BYTES_MAX   (900 * 1024)
#define BACKOFF_MAX_NS    (1000 * SECOND)
#define DATA_KEY          "memory"
#define DEFAULT_NAMESPACE "kube-system"

struct learned_capacity {
    struct manager *manager;
    const struct aws_controllers_environment *environment;
    struct reconcile_queue *queue, *store;
    const char *namespace;
    bool loaded, missing, forbidden, dirty;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);
static struct reconcile_result reconcile_store(void *context, struct work_item *item,
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
    capacity->namespace =
        environment->namespace != NULL ? environment->namespace : DEFAULT_NAMESPACE;
    capacity->queue = manager_queue(manager, &options);
    mirror_on_change(manager->mirror, KIND_NODE, on_node, capacity);
    if (manager->settings->compatibility_upstream)
        return capacity; // AWI-22: in memory only
    options.name = CONTROLLER ".store";
    options.kind = NULL;
    options.reconcile = reconcile_store;
    capacity->store = manager_queue(manager, &options);
    reconcile_queue_add(capacity->store, STORE_KEY);
    return capacity;
}

void learned_capacity_destroy(struct learned_capacity *capacity)
{
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
    capacity->dirty = true;
    if (capacity->store != NULL)
        reconcile_queue_add_after(capacity->store, STORE_KEY, STORE_DELAY_NS);
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

// --- the ConfigMap -------------------------------------------------------------------------------
struct store_call {
    struct operation operation;
    struct learned_capacity *capacity;
};

static void add_path(const struct learned_capacity *capacity, struct text *path)
{
    text_add(path, "/api/v1/namespaces/");
    query_escape(path, capacity->namespace);
    text_add(path, "/configmaps");
}

static struct store_call *begin_call(struct learned_capacity *capacity, struct work_item *item,
                                     const char *doing)
{
    struct operation_about about = {.manager = capacity->manager, .item = item, .doing = doing};
    struct store_call *call = operation_begin(&about, sizeof *call);
    call->capacity = capacity;
    return call;
}

static void end_call(struct store_call *call, const struct error *error)
{
    struct learned_capacity *capacity = call->capacity;
    enum operation_outcome outcome = OPERATION_PASS;
    if (error->kind == ERROR_FORBIDDEN) {
        capacity->forbidden = true;
        outcome = OPERATION_NOTED;
        log_info("learned memory of instance types is not kept across restarts", "s:controller",
                 CONTROLLER, "n:ConfigMap", capacity->namespace, LEARNED_CAPACITY_NAME, "s:cause",
                 error->message);
    }
    operation_end(&call->operation, outcome, error);
}

static void tell_place(const struct learned_capacity *capacity)
{
    log_info("learned memory of instance types is kept across restarts", "s:controller", CONTROLLER,
             "n:ConfigMap", capacity->namespace, LEARNED_CAPACITY_NAME);
}

static void loaded(void *context, const struct kube_result *result)
{
    struct store_call *call = context;
    struct learned_capacity *capacity = call->capacity;
    const char *text =
        json_string_value(json_object_get(json_object_get(result->body, "data"), DATA_KEY));
    if (result->error.kind == ERROR_NOT_FOUND) {
        capacity->loaded = capacity->missing = true;
        tell_place(capacity);
        operation_end(&call->operation, OPERATION_NOTED, NULL);
        return;
    }
    if (result->error.kind == ERROR_NONE) {
        json_t *value = text != NULL ? json_loads(text, 0, NULL) : NULL;
        uint32_t count =
            value != NULL ? ec2_types_learned_decode(capacity->environment->types, value) : 0;
        json_decref(value);
        capacity->loaded = true;
        tell_place(capacity);
        if (count > 0)
            cloud_change_types(capacity->environment->cloud);
    }
    end_call(call, &result->error);
}

static void written(void *context, const struct kube_result *result)
{
    struct store_call *call = context;
    struct learned_capacity *capacity = call->capacity;
    if (result->error.kind == ERROR_NONE)
        capacity->missing = false;
    else
        capacity->dirty = true;
    if (result->error.kind == ERROR_NOT_FOUND) {
        capacity->missing = true; // deleted meanwhile
        operation_end(&call->operation, OPERATION_RETRY, NULL);
        return;
    }
    end_call(call, &result->error);
}

static struct reconcile_result write_store(struct learned_capacity *capacity,
                                           struct work_item *item)
{
    json_t *value = ec2_types_learned_encode(capacity->environment->types);
    char *text CLEANUP_FREE = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    struct text path = {0};
    json_decref(value);
    capacity->dirty = false;
    if (text == NULL || strlen(text) > STORE_BYTES_MAX)
        return reconcile_done();
    json_t *body = json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s}}", "apiVersion", "v1", "kind",
                             "ConfigMap", "metadata", "name", LEARNED_CAPACITY_NAME, "namespace",
                             capacity->namespace, "data", DATA_KEY, text);
    add_path(capacity, &path);
    struct store_call *call = begin_call(capacity, item, "keeping learned memory");
    if (capacity->missing) {
        kube_create_path(capacity->manager->client, path.data, body, written, call);
    } else {
        text_add(&path, "/" LEARNED_CAPACITY_NAME);
        kube_merge_path(capacity->manager->client, path.data, body, written, call);
    }
    json_decref(body);
    text_free(&path);
    return reconcile_running();
}

static struct reconcile_result reconcile_store(void *context, struct work_item *item,
                                               struct error *error)
{
    struct learned_capacity *capacity = context;
    (void)error;
    if (capacity->forbidden)
        return reconcile_done();
    if (!capacity->loaded) {
        struct text path = {0};
        add_path(capacity, &path);
        text_add(&path, "/" LEARNED_CAPACITY_NAME);
        kube_get_path(capacity->manager->client, path.data, loaded,
                      begin_call(capacity, item, "reading learned memory"));
        text_free(&path);
        return reconcile_running();
    }
    return capacity->dirty ? write_store(capacity, item) : reconcile_done();
}
