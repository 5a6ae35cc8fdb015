#include "engine/launch/limit_grants.h"

#include <assert.h>
#include <string.h>

#include "base/quantity.h"

int64_t limit_amount(const struct resource_map *capacity, const char *resource)
{
    return strcmp(resource, "nodes") == 0 ? 1 : resource_map_get(capacity, resource);
}

static void take(struct limit_room *room, const int64_t *amounts)
{
    for (uint32_t i = 0; i < room->pool->spec.limits.count; i++)
        room->left[i] = quantity_subtract(room->left[i], amounts[i]);
}

static bool fits(const struct limit_room *room, const struct instance_type *type,
                 const int64_t *granted)
{
    const struct resource_map *limits = &room->pool->spec.limits;
    for (uint32_t i = 0; i < limits->count; i++) {
        int64_t have = quantity_add(room->left[i], granted != NULL ? granted[i] : 0);
        if (limit_amount(&type->capacity, limits->items[i].name) > have)
            return false;
    }
    return true;
}

// Grants each claim, in order, its cheapest type that fits, and reserves its capacity.
static const struct instance_type *grant_cheapest(struct arena *arena, struct limit_room *room,
                                                  const struct plan_claim *claim, int64_t **granted)
{
    const struct resource_map *limits = &room->pool->spec.limits;
    *granted = arena_allocate_array(arena, limits->count + 1, sizeof **granted);
    list_for_each (type, &claim->types) {
        if (!fits(room, type->instance_type, NULL))
            continue;
        for (uint32_t i = 0; i < limits->count; i++)
            (*granted)[i] = limit_amount(&type->instance_type->capacity, limits->items[i].name);
        take(room, *granted);
        return type->instance_type;
    }
    return NULL;
}

static void widen(struct arena *arena, struct limit_room *room, const struct plan_claim *claim,
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
            int64_t used = limit_amount(&type->instance_type->capacity, limits->items[i].name);
            if (used > most[i])
                most[i] = used;
        }
    }
    for (uint32_t i = 0; i < limits->count; i++)
        most[i] = quantity_subtract(most[i], granted[i]);
    take(room, most);
}

struct claim_types *limit_grants(struct arena *arena, const struct plan *plan,
                                 struct limit_room *const *rooms)
{
    assert(plan != NULL && (rooms != NULL || plan->claims.count == 0));
    struct claim_types *out = arena_allocate_array(arena, plan->claims.count + 1, sizeof *out);
    int64_t **granted = arena_allocate_array(arena, plan->claims.count + 1, sizeof *granted);
    bool *created = arena_allocate_array(arena, plan->claims.count + 1, sizeof *created);
    for (uint32_t i = 0; i < plan->claims.count; i++)
        created[i] = grant_cheapest(arena, rooms[i], &plan->claims.items[i], &granted[i]) != NULL;
    for (uint32_t i = 0; i < plan->claims.count; i++)
        if (created[i])
            widen(arena, rooms[i], &plan->claims.items[i], granted[i], &out[i]);
    return out;
}
