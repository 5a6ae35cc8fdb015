#include "control/provisioning/claim_limits.h"

#include "base/map.h"
#include "base/quantity.h"
#include "control/command/commands.h"
#include "control/provisioning/worst_case_capacity.h"
#include "control/state/cluster.h"
#include "control/state/state_node.h"

struct replacing { // a command whose replacements are to be created; its own nodes do not count
    const struct commands *commands;
    const struct disruption_command *command; // NULL: none
};

// The largest machine that an unlaunched NodeClaim may still become (LIF-458).
static void take_unlaunched(struct limit_room *room, struct worst_case_capacity *largest,
                            const struct node_claim *claim, struct arena *arena)
{
    struct resource_map most = worst_case_machine(largest, arena, room->pool, claim);
    const struct resource_map *limits = &room->pool->spec.limits;
    for (uint32_t i = 0; i < limits->count; i++)
        room->left[i] =
            quantity_subtract(room->left[i], limit_amount(&most, limits->items[i].name));
}

static void take_state(struct limit_room *room, const struct state_node *state, struct arena *arena)
{
    struct resource_map capacity = state_capacity(arena, state);
    const struct resource_map *limits = &room->pool->spec.limits;
    for (uint32_t i = 0; i < limits->count; i++)
        room->left[i] =
            quantity_subtract(room->left[i], limit_amount(&capacity, limits->items[i].name));
}

static bool is_replaced(const struct replacing *replacing, const struct state_node *state)
{
    return replacing->command != NULL && state->nodes.count > 0 &&
           commands_of_node(replacing->commands, state_main_node(state)->meta.name) ==
               replacing->command;
}

static bool is_of_pool(const struct limit_room *room, const char *pool)
{
    return text_equal(pool, room->pool->meta.name);
}

// A command's node and its replacement count once, as the larger of the two, since only one
// remains.
static void give_back_twice_counted(struct control *control, struct limit_room *room,
                                    struct arena *arena, struct worst_case_capacity *largest,
                                    const struct disruption_command *command)
{
    const struct resource_map *limits = &room->pool->spec.limits;
    struct limit_room nodes = {room->pool}, replacements = {room->pool};
    nodes.left = arena_allocate_array(arena, limits->count + 1, sizeof *nodes.left);
    replacements.left = arena_allocate_array(arena, limits->count + 1, sizeof *nodes.left);
    list_for_each (entry, &command->nodes) {
        const struct state_node *state = cluster_state_named(control->cluster, entry->node);
        if (state == NULL || state_marked(state) || !is_of_pool(room, state_pool(state)))
            continue;
        take_state(&nodes, state, arena);
    }
    list_for_each (replacement, &command->replacements) {
        const struct node_claim *claim = replacement_claim(control, command, replacement);
        if (claim == NULL || !is_of_pool(room, replacement->pool))
            continue;
        const struct state_node *state =
            node_claim_is_launched(claim)
                ? cluster_state(control->cluster, claim->status.provider_id)
                : NULL;
        if (state != NULL && !state_marked(state))
            take_state(&replacements, state, arena);
        else if (!node_claim_is_launched(claim))
            take_unlaunched(&replacements, largest, claim, arena);
    }
    for (uint32_t i = 0; i < limits->count; i++) { // both are negative
        int64_t twice = nodes.left[i] > replacements.left[i] ? nodes.left[i] : replacements.left[i];
        room->left[i] = quantity_subtract(room->left[i], twice);
    }
}

// A command that may still be canceled keeps the room of its nodes; its rollback returns the room.
static void give_back_commands(struct control *control, struct limit_room *room,
                               struct arena *arena, struct worst_case_capacity *largest,
                               const struct replacing *replacing)
{
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = commands_next(replacing->commands, &position)) != NULL;)
        if (command != replacing->command && command->is_confirmed &&
            command->phase != COMMAND_ROLLBACK)
            give_back_twice_counted(control, room, arena, largest, command);
}

static void take_existing(struct control *control, struct limit_room *room, struct arena *arena,
                          const struct replacing *replacing)
{
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        if (!state_marked(state) && is_of_pool(room, state_pool(state)) &&
            !is_replaced(replacing, state))
            take_state(room, state, arena);
    }
    struct worst_case_capacity *largest = worst_case_capacity_create(control);
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_NODE_CLAIM, &iterator)) != NULL;) {
        const struct node_claim *claim = (const struct node_claim *)object;
        if (!node_claim_is_launched(claim) &&
            is_of_pool(room, object_label(object, LABEL_NODE_POOL)))
            take_unlaunched(room, largest, claim, arena);
    }
    if (replacing->command != NULL)
        give_back_commands(control, room, arena, largest, replacing);
    worst_case_capacity_destroy(largest);
}

static int64_t *limits_left(struct control *control, struct arena *arena,
                            const struct node_pool *pool, const struct replacing *replacing)
{
    const struct resource_map *limits = &pool->spec.limits;
    struct limit_room room = {.pool = pool};
    room.left = arena_allocate_array(arena, limits->count + 1, sizeof *room.left);
    for (uint32_t i = 0; i < limits->count; i++)
        room.left[i] = limits->items[i].value;
    if (limits->count > 0)
        take_existing(control, &room, arena, replacing);
    return room.left;
}

int64_t *pool_limits_left(struct control *control, struct arena *arena,
                          const struct node_pool *pool, const struct commands *commands,
                          const struct disruption_command *command)
{
    return limits_left(control, arena, pool, &(struct replacing){commands, command});
}

static struct limit_room *room_of(struct control *control, struct arena *arena, struct map *rooms,
                                  const struct node_pool *planned)
{
    struct limit_room *room = map_get(rooms, planned->meta.name);
    if (room != NULL)
        return room;
    room = arena_allocate(arena, sizeof *room);
    const struct node_pool *pool = find_pool(control, planned->meta.name); // read again: SCH-365
    room->pool = pool != NULL ? pool : planned;
    room->left = limits_left(control, arena, room->pool, &(struct replacing){0});
    map_set(rooms, planned->meta.name, room);
    return room;
}

struct claim_types *claims_within_limits(struct control *control, struct arena *arena,
                                         const struct plan *plan)
{
    struct map *rooms = map_create();
    struct limit_room **of_claims =
        arena_allocate_array(arena, plan->claims.count + 1, sizeof *of_claims);
    for (uint32_t i = 0; i < plan->claims.count; i++)
        of_claims[i] = room_of(control, arena, rooms, plan->claims.items[i].node_pool);
    map_destroy(rooms, NULL);
    return limit_grants(arena, plan, of_claims);
}
