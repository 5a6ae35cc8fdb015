#include "control/nodeclaim/hydration.h"

#include <stdlib.h>

#include "base/duration.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "model/schema/condition_types.h"
#include "reconcile/operations.h"

struct hydration {
    struct control *control;
    struct reconcile_queue *claims, *nodes;
};

static struct reconcile_result reconcile_claim(void *context, struct work_item *item,
                                               struct error *error);
static struct reconcile_result reconcile_node(void *context, struct work_item *item,
                                              struct error *error);

static const char *node_class_of(const struct node_claim *claim)
{
    return claim->spec.node_class_ref != NULL ? claim->spec.node_class_ref->name : NULL;
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct hydration *hydration = context;
    const struct node_claim *claim = (const struct node_claim *)new_object;
    (void)change;
    (void)old_object;
    if (claim == NULL)
        return;
    const char *label = hydration->control->node_class_label;
    if (!text_equal(string_map_get(&claim->meta.labels, label), node_class_of(claim)))
        reconcile_queue_add(hydration->claims, claim->meta.name);
    const struct node *node = cluster_node_of(hydration->control->cluster, claim, NULL);
    if (node != NULL &&
        !text_equal(string_map_get(&node->meta.labels, label), node_class_of(claim)))
        reconcile_queue_add(hydration->nodes, node->meta.name);
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct hydration *hydration = context;
    (void)change;
    (void)old_object;
    const struct node *node = (const struct node *)new_object;
    const struct node_claim *claim =
        node != NULL ? cluster_claim_of(hydration->control->cluster, node, NULL) : NULL;
    if (claim != NULL &&
        !text_equal(string_map_get(&node->meta.labels, hydration->control->node_class_label),
                    node_class_of(claim)))
        reconcile_queue_add(hydration->nodes, node->meta.name);
}

struct hydration *hydration_create(struct control *control)
{
    struct hydration *hydration = memory_allocate(sizeof *hydration);
    hydration->control = control;
    struct reconcile_queue_options options = {.name = "nodeclaim.hydration",
                                              .kind = "NodeClaim",
                                              .concurrency =
                                                  manager_scale(&control->manager, 1000, 5000),
                                              .backoff_base_ns = 100 * MILLISECOND,
                                              .backoff_max_ns = MINUTE,
                                              .rate = 10,
                                              .burst = 100,
                                              .reconcile = reconcile_claim,
                                              .context = hydration};
    hydration->claims = manager_queue(&control->manager, &options);
    options.name = "node.hydration";
    options.kind = "Node";
    options.reconcile = reconcile_node;
    hydration->nodes = manager_queue(&control->manager, &options);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, hydration);
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, hydration);
    return hydration;
}

void hydration_destroy(struct hydration *hydration)
{
    free(hydration);
}

static struct reconcile_result label(struct hydration *hydration, struct work_item *item,
                                     const struct object *object, const char *value)
{
    json_t *body = json_object();
    json_object_set_new(json_metadata(body, "labels"), hydration->control->node_class_label,
                        json_string(value));
    return start_patch(&(struct operation_about){.manager = &hydration->control->manager,
                                                 .item = item,
                                                 .doing = "labelling with the node class"},
                       object, NULL, body);
}

static struct reconcile_result reconcile_claim(void *context, struct work_item *item,
                                               struct error *error)
{
    struct hydration *hydration = context;
    struct control *control = hydration->control;
    (void)error;
    const struct node_claim *claim = find_claim(control, work_item_key(item));
    if (claim == NULL || !managed_claim(control, claim) || node_class_of(claim) == NULL ||
        text_equal(string_map_get(&claim->meta.labels, control->node_class_label),
                   node_class_of(claim)))
        return reconcile_done();
    return label(hydration, item, (const struct object *)claim, node_class_of(claim));
}

static struct reconcile_result reconcile_node(void *context, struct work_item *item,
                                              struct error *error)
{
    struct hydration *hydration = context;
    struct control *control = hydration->control;
    (void)error;
    const struct node *node = find_node(control, work_item_key(item));
    const struct node_claim *claim =
        node != NULL ? cluster_claim_of(control->cluster, node, NULL) : NULL;
    // Before registration the label is synced with the others (LIF-42).
    if (claim == NULL || !managed_claim(control, claim) || node_class_of(claim) == NULL ||
        !condition_is_true(&claim->status.conditions, CONDITION_REGISTERED) ||
        text_equal(string_map_get(&node->meta.labels, control->node_class_label),
                   node_class_of(claim)))
        return reconcile_done();
    return label(hydration, item, (const struct object *)node, node_class_of(claim));
}
