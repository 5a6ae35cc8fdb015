#include "control/state/state_node.h"

#include "model/reading/pod.h"
#include "model/reading/state_node_rules.h"
#include "model/schema/resources.h"

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

// The first of several NodeClaims is the state node's.
static const struct node_claim *main_claim(const struct state_node *state)
{
    return state->claims.count > 0 ? state->claims.items[0] : NULL;
}

bool state_registered(const struct state_node *state)
{
    return state_node_registered(state_main_node(state), main_claim(state));
}

bool state_initialized(const struct state_node *state)
{
    return state_node_initialized(state_main_node(state), main_claim(state));
}

bool state_marked(const struct state_node *state)
{
    if (state->marked)
        return true;
    for (uint32_t i = 0; i < state->claims.count; i++)
        if (node_claim_is_ending(state->claims.items[i]))
            return true;
    for (uint32_t i = 0; state->claims.count == 0 && i < state->nodes.count; i++)
        if (state_node_is_ending(state->nodes.items[i], NULL))
            return true;
    return false;
}

const char *state_name(const struct state_node *state)
{
    return state_node_meta(state_main_node(state), main_claim(state))->name;
}

static const struct string_map *state_labels(const struct state_node *state)
{
    return &state_node_meta(state_main_node(state), main_claim(state))->labels;
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

struct resource_map state_capacity(struct arena *arena, const struct state_node *state)
{
    return state_node_capacity(arena, state_main_node(state), main_claim(state));
}

struct resource_map state_allocatable(struct arena *arena, const struct state_node *state)
{
    return state_node_allocatable(arena, state_main_node(state), main_claim(state));
}

struct resource_map state_room(struct arena *arena, const struct state_node *state,
                               const struct pod_list *pods)
{
    struct resource_map all = state_allocatable(arena, state);
    struct resource_map room = {.items =
                                    arena_allocate_array(arena, all.count + 1, sizeof *room.items)};
    list_for_each (entry, &all)
        room.items[room.count++] = *entry;
    for (uint32_t i = 0; i < pods->count; i++) {
        struct resource_map requests = pod_requests(arena, pods->items[i]);
        if (!pod_is_terminal(pods->items[i]))
            resource_map_take(&room, &requests);
    }
    return room;
}
