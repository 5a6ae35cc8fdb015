#include "control/state/state_node.h"

#include "control/state/cluster.h"

#include <string.h>

const struct node *state_only_node(const struct state_node *state)
{
    return state->nodes.count == 1 ? state->nodes.items[0] : NULL;
}

const struct node_claim *state_only_claim(const struct state_node *state)
{
    return state->claims.count == 1 ? state->claims.items[0] : NULL;
}

const struct node *node_list_main(const struct node_list *nodes, const char *registered)
{
    for (uint32_t i = 0; i < nodes->count; i++)
        if (text_equal(nodes->items[i]->meta.name, registered))
            return nodes->items[i];
    return nodes->count > 0 ? nodes->items[0] : NULL;
}

const struct node *state_main_node(const struct state_node *state)
{
    return node_list_main(
        &state->nodes, state->claims.count > 0 ? state->claims.items[0]->status.node_name : NULL);
}

static bool node_label_is_true(const struct state_node *state, const char *label)
{
    const struct node *node = state_main_node(state);
    return node != NULL && text_equal(string_map_get(&node->meta.labels, label), "true");
}

bool state_registered(const struct state_node *state)
{
    return state->claims.count == 0 || node_label_is_true(state, LABEL_REGISTERED);
}

bool state_initialized(const struct state_node *state)
{
    return state->claims.count == 0 || node_label_is_true(state, LABEL_INITIALIZED);
}

bool state_marked(const struct state_node *state)
{
    if (state->marked)
        return true;
    for (uint32_t i = 0; i < state->claims.count; i++) {
        const struct node_claim *claim = state->claims.items[i];
        if (object_is_deleting((const struct object *)claim) ||
            condition_is_true(&claim->status.conditions, "InstanceTerminating"))
            return true;
    }
    for (uint32_t i = 0; state->claims.count == 0 && i < state->nodes.count; i++)
        if (object_is_deleting((const struct object *)state->nodes.items[i]))
            return true;
    return false;
}

const char *state_name(const struct state_node *state)
{
    bool by_claim =
        state->claims.count > 0 && (state->nodes.count == 0 || !state_registered(state));
    return by_claim ? state->claims.items[0]->meta.name : state_main_node(state)->meta.name;
}

const struct string_map *state_labels(const struct state_node *state)
{
    bool by_claim =
        state->claims.count > 0 && (state->nodes.count == 0 || !state_registered(state));
    return by_claim ? &state->claims.items[0]->meta.labels : &state_main_node(state)->meta.labels;
}

const char *state_pool(const struct state_node *state)
{
    return string_map_get(state_labels(state), LABEL_NODE_POOL);
}

const char *label_of_node(const struct node *node, const struct node_claim *claim, const char *key)
{
    const char *value = node != NULL ? string_map_get(&node->meta.labels, key) : NULL;
    return value == NULL && claim != NULL ? string_map_get(&claim->meta.labels, key) : value;
}

// `first`, with entries that are missing or zero taken from `second`; sorted by name.
static struct resource_map fill(struct arena *arena, const struct resource_map *first,
                                const struct resource_map *second)
{
    struct resource_map out = {
        arena_allocate_array(arena, first->count + second->count + 1, sizeof *out.items), 0};
    uint32_t i = 0, j = 0;
    while (i < first->count || j < second->count) {
        int order = i == first->count    ? 1
                    : j == second->count ? -1
                                         : strcmp(first->items[i].name, second->items[j].name);
        if (order < 0) {
            out.items[out.count++] = first->items[i++];
        } else if (order > 0) {
            out.items[out.count++] = second->items[j++];
        } else {
            out.items[out.count++] =
                first->items[i].value != 0 ? first->items[i] : second->items[j];
            i++;
            j++;
        }
    }
    return out;
}

struct resource_map state_capacity(struct arena *arena, const struct state_node *state)
{
    static const struct resource_map none = {0};
    const struct node *node = state_main_node(state);
    const struct node_claim *claim = state->claims.count > 0 ? state->claims.items[0] : NULL;
    bool fill_in = claim != NULL && (node == NULL || !state_initialized(state));
    return fill(arena, node != NULL ? &node->status.capacity : &none,
                fill_in ? &claim->status.capacity : &none);
}

struct resource_map state_allocatable(struct arena *arena, const struct state_node *state)
{
    static const struct resource_map none = {0};
    const struct node *node = state_main_node(state);
    const struct node_claim *claim = state->claims.count > 0 ? state->claims.items[0] : NULL;
    bool fill_in = claim != NULL && (node == NULL || !state_initialized(state));
    return fill(arena, node != NULL ? &node->status.allocatable : &none,
                fill_in ? &claim->status.allocatable : &none);
}
