#include "engine/templates/overlay_capacity.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "model/schema/resources.h"
#include "model/tables/well_known.h"

#define FACTOR_MAX      1000
#define NAME_BYTES      320 // of a qualified name
#define MULTIPLIERS_MAX 32

struct multiplier {
    char name[NAME_BYTES];
    int64_t factor;
};

static const char *annotation(const struct node_overlay *overlay)
{
    return object_annotation((const struct object *)overlay, ANNOTATION_CAPACITY_MULTIPLIER);
}

bool overlay_multiplies(const struct node_overlay *overlay)
{
    return annotation(overlay) != NULL;
}

// Reads one NAME=FACTOR and moves behind it; false if it is none.
static bool take_multiplier(const char **at, struct multiplier *multiplier)
{
    *at += strspn(*at, " ,");
    size_t length = strcspn(*at, " ,=");
    char *end;
    if (length == 0 || length >= sizeof multiplier->name || (*at)[length] != '=')
        return false;
    memcpy(multiplier->name, *at, length);
    multiplier->name[length] = '\0';
    const char *digits = *at + length + 1;
    if (*digits < '1' || *digits > '9')
        return false;
    multiplier->factor = strtol(digits, &end, 10);
    *at = end + strspn(end, " ");
    return multiplier->factor <= FACTOR_MAX && (**at == '\0' || **at == ',') &&
           !text_list_has(well_known_resources_core, multiplier->name);
}

bool overlay_multipliers_valid(const struct node_overlay *overlay)
{
    uint32_t count = 0;
    struct multiplier multiplier;
    for (const char *at = annotation(overlay); at != NULL && *at != '\0';)
        if (++count > MULTIPLIERS_MAX || !take_multiplier(&at, &multiplier))
            return false;
    return true;
}

static int compare_quantities(const void *a, const void *b)
{
    return strcmp(((const struct resource_quantity *)a)->name,
                  ((const struct resource_quantity *)b)->name);
}

struct resource_map overlay_capacity(struct arena *arena, const struct node_overlay *overlay,
                                     const struct instance_type *type)
{
    if (!overlay_multiplies(overlay))
        return overlay->spec.capacity;
    struct resource_map map = {0};
    map.items = arena_allocate_array(arena, overlay->spec.capacity.count + MULTIPLIERS_MAX + 1,
                                     sizeof *map.items);
    list_for_each (entry, &overlay->spec.capacity)
        map.items[map.count++] = *entry;
    struct multiplier multiplier;
    for (const char *at = annotation(overlay); *at != '\0' && take_multiplier(&at, &multiplier);) {
        int64_t own = resource_map_get(&type->capacity, multiplier.name);
        if (own <= 0 || resource_map_has(&map, multiplier.name))
            continue;
        assert(map.count < overlay->spec.capacity.count + MULTIPLIERS_MAX);
        map.items[map.count++] = (struct resource_quantity){
            arena_copy_string(arena, multiplier.name), quantity_multiply(own, multiplier.factor)};
        qsort(map.items, map.count, sizeof *map.items, compare_quantities);
    }
    return map;
}
