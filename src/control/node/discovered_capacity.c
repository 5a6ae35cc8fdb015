#include "control/node/discovered_capacity.h"

#include "control/runtime/control.h"
#include "control/state/cluster.h"

static bool is_initialized(const struct node *node)
{
    return text_equal(object_label((const struct object *)node, LABEL_INITIALIZED), "true");
}

static bool are_equal(const struct resource_map *a, const struct resource_map *b)
{
    if (a->count != b->count)
        return false;
    list_for_each (entry, a)
        if (entry->value != resource_map_get(b, entry->name))
            return false;
    return true;
}

static bool is_news(const struct node *before, const struct node *node)
{
    return before == NULL || !is_initialized(before) ||
           !are_equal(&before->status.capacity, &node->status.capacity) ||
           !are_equal(&before->status.allocatable, &node->status.allocatable);
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct control *control = context;
    const struct node *node = (const struct node *)new_object;
    (void)change;
    if (node == NULL || !is_initialized(node) || !is_news((const struct node *)old_object, node))
        return;
    const struct node_claim *claim = cluster_claim_of(control->cluster, node, NULL);
    if (claim != NULL)
        control->cloud->operations->learn(control->cloud, claim, node);
}

// At the start Nodes may be listed before their NodeClaims.
static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct control *control = context;
    (void)old_object;
    const struct node *node =
        change == MIRROR_ADDED
            ? cluster_node_of(control->cluster, (const struct node_claim *)new_object, NULL)
            : NULL;
    if (node != NULL && is_initialized(node))
        control->cloud->operations->learn(control->cloud, (const struct node_claim *)new_object,
                                          node);
}

void discovered_capacity_watch(struct control *control)
{
    if (control->cloud->operations->learn == NULL)
        return;
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, control);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, control);
}
