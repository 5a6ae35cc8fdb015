#include "cloud/aws/types/type_zones.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/text.h"

#define ZONES_MAX      64
#define NAME_BYTES_MAX 64
#define TYPES_MAX      20000

struct type_zones *type_zones_create(void)
{
    struct arena *arena = arena_create(4096);
    struct type_zones *zones = arena_allocate(arena, sizeof *zones);
    zones->arena = arena;
    zones->masks = map_create();
    return zones;
}

void type_zones_destroy(struct type_zones *zones)
{
    if (zones == NULL)
        return;
    if (zones->masks != NULL)
        map_destroy(zones->masks, free);
    arena_destroy(zones->arena);
}

// UINT32_MAX: no place left.
static uint32_t zone_place(struct type_zones *zones, const char *name)
{
    for (uint32_t i = 0; i < zones->count; i++)
        if (strcmp(zones->names[i], name) == 0)
            return i;
    if (zones->count == ZONES_MAX) {
        zones->full = true;
        return UINT32_MAX;
    }
    zones->names[zones->count] = arena_copy_string(zones->arena, name);
    return zones->count++;
}

struct type_zones *type_zones_of(const char *const *names)
{
    struct type_zones *zones = type_zones_create();
    map_destroy(zones->masks, NULL);
    zones->masks = NULL;
    for (; *names != NULL; names++)
        zone_place(zones, *names);
    type_zones_finish(zones);
    return zones;
}

void type_zones_add_page(struct type_zones *zones, const json_t *reply)
{
    assert(zones->masks != NULL);
    size_t index;
    json_t *item;
    json_array_foreach (json_object_get(reply, "InstanceTypeOfferings"), index, item) {
        const char *type = json_string_value(json_object_get(item, "InstanceType"));
        const char *zone = json_string_value(json_object_get(item, "Location"));
        if (text_is_empty(type) || text_is_empty(zone) || strlen(type) > NAME_BYTES_MAX ||
            strlen(zone) > NAME_BYTES_MAX || map_count(zones->masks) >= TYPES_MAX)
            continue;
        uint32_t place = zone_place(zones, zone);
        if (place == UINT32_MAX)
            continue;
        uint64_t *mask = map_ensure(zones->masks, type, sizeof *mask);
        *mask |= UINT64_C(1) << place;
    }
}

void type_zones_finish(struct type_zones *zones)
{
    const char *before[ZONES_MAX];
    uint32_t to[ZONES_MAX];
    memcpy(before, zones->names, sizeof before);
    qsort(zones->names, zones->count, sizeof(char *), text_compare);
    for (uint32_t i = 0; i < zones->count; i++)
        for (uint32_t j = 0; j < zones->count; j++)
            if (zones->names[j] == before[i])
                to[i] = j;
    if (zones->full)
        log_error("more zones than can be offered", "i:limit", (int64_t)ZONES_MAX);
    for (struct map_entry *entry = zones->masks != NULL ? map_first(zones->masks) : NULL;
         entry != NULL; entry = map_next(entry)) {
        uint64_t *mask = map_value(entry), sorted = 0;
        for (uint32_t i = 0; i < zones->count; i++)
            if ((*mask >> i & 1) != 0)
                sorted |= UINT64_C(1) << to[i];
        *mask = sorted;
    }
}

uint64_t type_zones_mask(const struct type_zones *zones, const char *instance_type)
{
    if (zones->masks == NULL)
        return zones->count == ZONES_MAX ? UINT64_MAX : (UINT64_C(1) << zones->count) - 1;
    const uint64_t *mask = map_get(zones->masks, instance_type);
    return mask != NULL ? *mask : 0;
}

bool type_zones_equal(const struct type_zones *a, const struct type_zones *b)
{
    if (a == NULL || b == NULL || a->count != b->count || a->masks == NULL || b->masks == NULL ||
        map_count(a->masks) != map_count(b->masks))
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (strcmp(a->names[i], b->names[i]) != 0)
            return false;
    for (struct map_entry *entry = map_first(a->masks); entry != NULL; entry = map_next(entry))
        if (*(uint64_t *)map_value(entry) != type_zones_mask(b, map_key(entry)))
            return false;
    return true;
}
