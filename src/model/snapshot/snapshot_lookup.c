#include "model/snapshot/snapshot_lookup.h"

#include "base/text.h"
#include "model/reading/state_node_rules.h"

const struct node_pool *pool_named(const struct snapshot *snapshot, const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++)
        if (text_equal(snapshot->objects[KIND_NODE_POOL].items[i]->meta.name, name))
            return (const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[i];
    return NULL;
}

const struct node_pool *claim_pool(const struct snapshot *snapshot, const struct node_claim *claim)
{
    return pool_named(snapshot, object_label((const struct object *)claim, LABEL_NODE_POOL));
}

const char *claim_node(const struct snapshot *snapshot, const struct node_claim *claim)
{
    const char *id = claim->status.provider_id;
    if (!text_is_empty(claim->status.node_name))
        return claim->status.node_name;
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count && !text_is_empty(id); i++) {
        const struct node *node = (const struct node *)snapshot->objects[KIND_NODE].items[i];
        if (text_equal(node->spec.provider_id, id))
            return node->meta.name;
    }
    return NULL;
}

struct string_list ending_nodes(struct arena *arena, const struct snapshot *snapshot)
{
    struct string_list names = {0};
    uint32_t most = snapshot->objects[KIND_NODE_CLAIM].count;
    names.items = arena_allocate_array(arena, (size_t)most + 1, sizeof *names.items);
    for (uint32_t i = 0; i < most; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        const char *node = node_claim_is_ending(claim) ? claim_node(snapshot, claim) : NULL;
        if (node != NULL)
            names.items[names.count++] = node;
    }
    return names;
}
