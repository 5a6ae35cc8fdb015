#include "control/node_claim_template.h"

#include <string.h>

#include "base/quantity.h"
#include "control/cluster.h"
#include "control/disruption_queue.h"
#include "control/largest_machines.h"

struct pool_room { // what is left of one pool's limits, by the order of its limits
    const struct node_pool *pool;
    int64_t *left;
};

static int64_t amount(const struct resource_map *capacity, const char *resource)
{
    return strcmp(resource, "nodes") == 0 ? 1 : resource_map_get(capacity, resource);
}

static void take(struct pool_room *room, const int64_t *amounts)
{
    for (uint32_t i = 0; i < room->pool->spec.limits.count; i++)
        room->left[i] = quantity_subtract(room->left[i], amounts[i]);
}

// The largest machine that an unlaunched NodeClaim may still become (LIF-458).
static void take_unlaunched(struct pool_room *room, struct largest_machines *largest,
                            const struct node_claim *claim, struct arena *arena)
{
    struct resource_map most = largest_machine(largest, arena, room->pool, claim);
    const struct resource_map *limits = &room->pool->spec.limits;
    for (uint32_t i = 0; i < limits->count; i++)
        room->left[i] = quantity_subtract(room->left[i], amount(&most, limits->items[i].name));
}

// Node of a disruption command under way.
static bool is_leaving(const struct control *control, const struct state_node *state)
{
    return state->nodes.count > 0 &&
           disruption_queue_has(control->disruption_queue, state_main_node(state)->meta.name);
}

static void take_existing(struct control *control, struct pool_room *room, struct arena *arena,
                          bool replacing)
{
    const struct resource_map *limits = &room->pool->spec.limits;
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        if (state_marked(state) || !text_equal(state_pool(state), room->pool->meta.name) ||
            (replacing && is_leaving(control, state)))
            continue;
        struct resource_map capacity = state_capacity(arena, state);
        for (uint32_t i = 0; i < limits->count; i++)
            room->left[i] =
                quantity_subtract(room->left[i], amount(&capacity, limits->items[i].name));
    }
    struct largest_machines *largest = largest_machines_create(control);
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->mirror, KIND_NODE_CLAIM, &iterator)) != NULL;) {
        const struct node_claim *claim = (const struct node_claim *)object;
        if (!node_claim_is_launched(claim) && text_equal(object_label(object, LABEL_NODE_POOL), room->pool->meta.name))
            take_unlaunched(room, largest, claim, arena);
    }
    largest_machines_destroy(largest);
}

int64_t *pool_limits_left(struct control *control, struct arena *arena,
                          const struct node_pool *pool, bool replacing)
{
    const struct resource_map *limits = &pool->spec.limits;
    struct pool_room room = {.pool = pool};
    room.left = arena_allocate_array(arena, limits->count + 1, sizeof *room.left);
    for (uint32_t i = 0; i < limits->count; i++)
        room.left[i] = limits->items[i].value;
    if (limits->count > 0)
        take_existing(control, &room, arena, replacing);
    return room.left;
}

static struct pool_room *room_of(struct control *control, struct arena *arena, struct map *rooms,
                                 const struct node_pool *planned)
{
    struct pool_room *room = map_get(rooms, planned->meta.name);
    if (room != NULL)
        return room;
    room = arena_allocate(arena, sizeof *room);
    const struct node_pool *pool = find_pool(control, planned->meta.name); // read again: SCH-365
    room->pool = pool != NULL ? pool : planned;
    room->left = pool_limits_left(control, arena, room->pool, false);
    map_set(rooms, planned->meta.name, room);
    return room;
}

static bool fits(const struct pool_room *room, const struct instance_type *type,
                 const int64_t *granted)
{
    const struct resource_map *limits = &room->pool->spec.limits;
    for (uint32_t i = 0; i < limits->count; i++) {
        int64_t have = quantity_add(room->left[i], granted != NULL ? granted[i] : 0);
        if (amount(&type->capacity, limits->items[i].name) > have)
            return false;
    }
    return true;
}

// The cheapest type that still fits, for every claim in order; what it takes is reserved.
static const struct instance_type *grant_cheapest(struct arena *arena, struct pool_room *room,
                                                  const struct plan_claim *claim, int64_t **granted)
{
    const struct resource_map *limits = &room->pool->spec.limits;
    *granted = arena_allocate_array(arena, limits->count + 1, sizeof **granted);
    list_for_each (type, &claim->types) {
        if (!fits(room, type->instance_type, NULL))
            continue;
        for (uint32_t i = 0; i < limits->count; i++)
            (*granted)[i] = amount(&type->instance_type->capacity, limits->items[i].name);
        take(room, *granted);
        return type->instance_type;
    }
    return NULL;
}

static void widen(struct arena *arena, struct pool_room *room, const struct plan_claim *claim,
                  int64_t *granted, struct claim_types *out)
{
    const struct resource_map *limits = &room->pool->spec.limits;
    int64_t *most = arena_allocate_array(arena, limits->count + 1, sizeof *most);
    memcpy(most, granted, limits->count * sizeof *most);
    out->types.items = arena_allocate_array(arena, CLAIM_TYPES_MAX, sizeof *out->types.items);
    list_for_each (type, &claim->types) {
        if (out->types.count == CLAIM_TYPES_MAX)
            break;
        if (!fits(room, type->instance_type, granted))
            continue;
        out->types.items[out->types.count++] = type->instance_type;
        for (uint32_t i = 0; i < limits->count; i++) {
            int64_t used = amount(&type->instance_type->capacity, limits->items[i].name);
            if (used > most[i])
                most[i] = used;
        }
    }
    for (uint32_t i = 0; i < limits->count; i++)
        most[i] = quantity_subtract(most[i], granted[i]);
    take(room, most);
}

struct claim_types *claims_within_limits(struct control *control, struct arena *arena,
                                         const struct plan *plan)
{
    struct map *rooms = map_create();
    struct claim_types *out = arena_allocate_array(arena, plan->claims.count + 1, sizeof *out);
    int64_t **granted = arena_allocate_array(arena, plan->claims.count + 1, sizeof *granted);
    bool *created = arena_allocate_array(arena, plan->claims.count + 1, sizeof *created);
    for (uint32_t i = 0; i < plan->claims.count; i++) {
        const struct plan_claim *claim = &plan->claims.items[i];
        struct pool_room *room = room_of(control, arena, rooms, claim->node_pool);
        created[i] = grant_cheapest(arena, room, claim, &granted[i]) != NULL;
    }
    for (uint32_t i = 0; i < plan->claims.count; i++) {
        const struct plan_claim *claim = &plan->claims.items[i];
        if (created[i])
            widen(arena, room_of(control, arena, rooms, claim->node_pool), claim, granted[i],
                  &out[i]);
    }
    map_destroy(rooms, NULL);
    return out;
}
