#include "model/reading/state_node_rules.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "model/schema/condition_types.h"
#include "model/tables/well_known.h"

static bool label_is_true(const struct node *node, const char *label)
{
    return node != NULL && text_equal(string_map_get(&node->meta.labels, label), "true");
}

const char *state_node_key(const struct node *node)
{
    assert(node != NULL);
    const char *provider = node->spec.provider_id;
    bool pooled = string_map_get(&node->meta.labels, LABEL_NODE_POOL) != NULL;
    if (provider == NULL || *provider == '\0')
        return pooled ? NULL : node->meta.name;
    if (pooled && string_map_get(&node->meta.labels, LABEL_INSTANCE_TYPE) == NULL &&
        !label_is_true(node, LABEL_INITIALIZED))
        return NULL;
    return provider;
}

bool state_node_registered(const struct node *node, const struct node_claim *claim)
{
    return claim == NULL || label_is_true(node, LABEL_REGISTERED);
}

bool state_node_initialized(const struct node *node, const struct node_claim *claim)
{
    return claim == NULL || label_is_true(node, LABEL_INITIALIZED);
}

const struct object_meta *state_node_meta(const struct node *node, const struct node_claim *claim)
{
    assert(node != NULL || claim != NULL);
    return state_node_registered(node, claim) ? &node->meta : &claim->meta;
}

// `own` with zero and missing entries filled from `other`, sorted by name as these are.
static struct resource_map filled(struct arena *arena, const struct resource_map *own,
                                  const struct resource_map *other)
{
    struct resource_map result = {0};
    result.items = arena_allocate_array(arena, own->count + other->count + 1, sizeof *result.items);
    uint32_t i = 0, j = 0;
    while (i < own->count || j < other->count) {
        int order = i == own->count     ? 1
                    : j == other->count ? -1
                                        : strcmp(own->items[i].name, other->items[j].name);
        struct resource_quantity *out = &result.items[result.count++];
        *out = order <= 0 ? own->items[i] : other->items[j];
        if (order == 0 && out->value == 0)
            *out = other->items[j];
        i += order <= 0;
        j += order >= 0;
    }
    assert(result.count <= own->count + other->count);
    return result;
}

struct resource_map state_node_capacity(struct arena *arena, const struct node *node,
                                        const struct node_claim *claim)
{
    static const struct resource_map none;
    assert(node != NULL || claim != NULL);
    if (state_node_initialized(node, claim))
        return node->status.capacity;
    return filled(arena, node != NULL ? &node->status.capacity : &none, &claim->status.capacity);
}

struct resource_map state_node_allocatable(struct arena *arena, const struct node *node,
                                           const struct node_claim *claim)
{
    static const struct resource_map none;
    assert(node != NULL || claim != NULL);
    if (state_node_initialized(node, claim))
        return node->status.allocatable;
    return filled(arena, node != NULL ? &node->status.allocatable : &none,
                  &claim->status.allocatable);
}

bool node_claim_is_ending(const struct node_claim *claim)
{
    return object_is_deleting((const struct object *)claim) ||
           condition_is_true(&claim->status.conditions, CONDITION_INSTANCE_TERMINATING);
}

bool state_node_is_ending(const struct node *node, const struct node_claim *claim)
{
    assert(node != NULL || claim != NULL);
    return claim != NULL ? node_claim_is_ending(claim)
                         : object_is_deleting((const struct object *)node);
}
