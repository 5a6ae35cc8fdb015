#include "model/schema/resources.h"

#include <assert.h>
#include <string.h>

// A merge of two sorted maps. `combine` NULL: the second map's value wins.
static struct resource_map resource_map_combine(struct arena *arena, const struct resource_map *a,
                                                const struct resource_map *b,
                                                int64_t (*combine)(int64_t a, int64_t b))
{
    assert(arena != NULL);
    struct resource_map result = {
        .items =
            arena_allocate_array(arena, (size_t)a->count + b->count + 1, sizeof *result.items)};
    uint32_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        int order = i == a->count   ? 1
                    : j == b->count ? -1
                                    : strcmp(a->items[i].name, b->items[j].name);
        struct resource_quantity *to = &result.items[result.count++];
        if (order < 0) {
            *to = a->items[i++];
            if (combine != NULL)
                to->value = combine(to->value, 0);
        } else if (order > 0) {
            *to = b->items[j++];
            if (combine != NULL)
                to->value = combine(0, to->value);
        } else {
            *to = b->items[j];
            if (combine != NULL)
                to->value = combine(a->items[i].value, b->items[j].value);
            i++;
            j++;
        }
    }
    assert(result.count <= a->count + b->count);
    assert(result.count < 2 ||
           strcmp(result.items[result.count - 2].name, result.items[result.count - 1].name) < 0);
    return result;
}

struct resource_map resource_map_sum(struct arena *arena, const struct resource_map *a,
                                     const struct resource_map *b)
{
    return resource_map_combine(arena, a, b, quantity_add);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

struct resource_map resource_map_maximum(struct arena *arena, const struct resource_map *a,
                                         const struct resource_map *b)
{
    return resource_map_combine(arena, a, b, larger);
}

struct resource_map resource_map_override(struct arena *arena, const struct resource_map *base,
                                          const struct resource_map *over)
{
    return resource_map_combine(arena, base, over, NULL);
}

struct resource_map resource_map_with(struct arena *arena, const struct resource_map *base,
                                      const char *name, int64_t value)
{
    assert(name != NULL);
    struct resource_quantity entry = {name, value};
    return resource_map_override(arena, base, &(struct resource_map){&entry, 1});
}

bool resource_map_covers(const struct resource_map *room, const struct resource_map *requests)
{
    list_for_each (request, requests)
        if (request->value > resource_map_get(room, request->name))
            return false;
    return true;
}

void resource_map_take(struct resource_map *room, const struct resource_map *requests)
{
    list_for_each (left, room)
        left->value -= resource_map_get(requests, left->name);
}
