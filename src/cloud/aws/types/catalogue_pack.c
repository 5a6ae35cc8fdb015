// Two walks: the first measures and collects the texts, the second writes.
#include "cloud/aws/types/catalogue_pack.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/symbols.h"

struct packing {
    struct symbols *texts;
    struct instance_type_catalog *catalogue;
    size_t used, room;
    char **places;       // of each text
    const char **slots;  // of each text, a list of one value
    const void **lists;  // hash table of the source's lists of requirements
    void **packed_lists; // and their copies
    uint32_t lists_slots;
    size_t text_bytes; // of the first walk
};

static void *reserve(struct packing *packing, size_t bytes)
{
    void *place = (char *)packing->catalogue + packing->used;
    packing->used += (bytes + 7) & ~(size_t)7;
    assert(packing->used <= packing->room);
    return place;
}

// --- first walk ----------------------------------------------------------------------------------

static void note_text(struct packing *packing, const char *text)
{
    uint32_t before = symbols_count(packing->texts);
    if (symbols_intern(packing->texts, text) == before)
        packing->text_bytes += strlen(text) + 1;
}

static size_t note_requirements(struct packing *packing, const requirement_list *list)
{
    list_for_each (requirement, list)
        for (uint32_t i = 0; i < requirement->values.count; i++)
            note_text(packing, requirement->values.items[i]);
    size_t values = 0;
    list_for_each (requirement, list)
        values += requirement->values.count;
    return list->count * sizeof(struct selector_requirement) + values * sizeof(char *);
}

static uint32_t list_slot(const struct packing *packing, const void *list)
{
    uint32_t slot =
        (uint32_t)((uintptr_t)list >> 4) * UINT32_C(2654435769) & (packing->lists_slots - 1);
    while (packing->lists[slot] != NULL && packing->lists[slot] != list)
        slot = (slot + 1) & (packing->lists_slots - 1);
    return slot;
}

static size_t map_bytes(const struct resource_map *map)
{
    return map->count * sizeof(struct resource_quantity);
}

static size_t type_bytes(struct packing *packing, const struct instance_type *type)
{
    note_text(packing, type->name);
    size_t bytes = note_requirements(packing, &type->requirements) + map_bytes(&type->capacity) +
                   map_bytes(&type->overhead.kube_reserved) +
                   map_bytes(&type->overhead.system_reserved) +
                   map_bytes(&type->overhead.eviction_threshold) +
                   type->offerings.count * sizeof(struct offering);
    list_for_each (offering, &type->offerings) {
        uint32_t slot = list_slot(packing, offering->requirements.items);
        if (packing->lists[slot] != NULL)
            continue;
        packing->lists[slot] = offering->requirements.items;
        bytes += note_requirements(packing, &offering->requirements);
    }
    return bytes;
}

// --- second walk ---------------------------------------------------------------------------------

static const char *place_text(const struct packing *packing, const char *text)
{
    uint32_t symbol = symbols_find(packing->texts, text);
    assert(symbol != SYMBOL_NONE);
    return packing->places[symbol];
}

static struct string_list place_values(struct packing *packing, const struct string_list *from)
{
    struct string_list list = {.count = from->count};
    if (from->count == 0)
        return list;
    if (from->count == 1) {
        uint32_t symbol = symbols_find(packing->texts, from->items[0]);
        assert(symbol != SYMBOL_NONE);
        packing->slots[symbol] = packing->places[symbol];
        list.items = &packing->slots[symbol];
        return list;
    }
    list.items = reserve(packing, from->count * sizeof(char *));
    for (uint32_t i = 0; i < from->count; i++)
        list.items[i] = place_text(packing, from->items[i]);
    return list;
}

static requirement_list place_requirements(struct packing *packing, const requirement_list *from)
{
    requirement_list list = {reserve(packing, from->count * sizeof *list.items), from->count};
    for (uint32_t i = 0; i < from->count; i++) {
        list.items[i] = from->items[i];
        list.items[i].values = place_values(packing, &from->items[i].values);
    }
    return list;
}

static requirement_list place_shared(struct packing *packing, const requirement_list *from)
{
    uint32_t slot = list_slot(packing, from->items);
    assert(packing->lists[slot] == from->items);
    if (packing->packed_lists[slot] == NULL)
        packing->packed_lists[slot] = place_requirements(packing, from).items;
    return (requirement_list){packing->packed_lists[slot], from->count};
}

static struct resource_map place_map(struct packing *packing, const struct resource_map *from)
{
    struct resource_map map = {NULL, from->count};
    if (from->items == NULL)
        return map;
    map.items = reserve(packing, map_bytes(from));
    memcpy(map.items, from->items, map_bytes(from));
    return map;
}

static void place_type(struct packing *packing, struct instance_type *to,
                       const struct instance_type *from)
{
    *to = *from;
    to->name = place_text(packing, from->name);
    to->requirements = place_requirements(packing, &from->requirements);
    to->capacity = place_map(packing, &from->capacity);
    to->overhead.kube_reserved = place_map(packing, &from->overhead.kube_reserved);
    to->overhead.system_reserved = place_map(packing, &from->overhead.system_reserved);
    to->overhead.eviction_threshold = place_map(packing, &from->overhead.eviction_threshold);
    to->offerings.count = from->offerings.count;
    to->offerings.items = reserve(packing, from->offerings.count * sizeof(struct offering));
    for (uint32_t i = 0; i < from->offerings.count; i++) {
        const struct offering *offering = &from->offerings.items[i];
        assert(offering->capacity_override.items == NULL);
        to->offerings.items[i] = *offering;
        to->offerings.items[i].requirements = place_shared(packing, &offering->requirements);
    }
}

static void place_texts(struct packing *packing, struct arena *arena)
{
    uint32_t count = symbols_count(packing->texts);
    packing->places = arena_allocate_array(arena, count + 1, sizeof(char *));
    char *to = reserve(packing, packing->text_bytes);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = symbols_text(packing->texts, i);
        size_t bytes = strlen(text) + 1;
        packing->places[i] = memcpy(to, text, bytes);
        to += bytes;
    }
    packing->slots = reserve(packing, count * sizeof(char *));
}

static size_t measure(struct packing *packing, const struct instance_type_catalog *source)
{
    size_t bytes = sizeof *source;
    bytes += source->spec.instance_types.count * sizeof(struct instance_type);
    list_for_each (type, &source->spec.instance_types)
        bytes += type_bytes(packing, type);
    return bytes + packing->text_bytes + 8 + symbols_count(packing->texts) * sizeof(char *);
}

static uint32_t slots_for(const struct instance_type_catalog *source)
{
    uint64_t lists = 1;
    list_for_each (type, &source->spec.instance_types)
        lists += type->offerings.count;
    uint32_t slots = 64;
    while (slots < 2 * lists)
        slots *= 2;
    return slots;
}

struct instance_type_catalog *catalogue_pack(const struct instance_type_catalog *source)
{
    assert(source->kind != NULL && source->spec.node_pools.items == NULL);
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
    struct packing packing = {.texts = symbols_create(), .lists_slots = slots_for(source)};
    packing.lists = arena_allocate_array(arena, packing.lists_slots, sizeof(void *));
    packing.packed_lists = arena_allocate_array(arena, packing.lists_slots, sizeof(void *));
    packing.room = measure(&packing, source);
    packing.catalogue = memory_allocate(packing.room);
    packing.used = sizeof *source;
    struct instance_type_catalog *to = packing.catalogue;
    to->kind = source->kind;
    to->meta.name = source->meta.name;
    place_texts(&packing, arena);
    to->spec.instance_types.count = source->spec.instance_types.count;
    to->spec.instance_types.items =
        reserve(&packing, to->spec.instance_types.count * sizeof(struct instance_type));
    for (uint32_t i = 0; i < to->spec.instance_types.count; i++)
        place_type(&packing, &to->spec.instance_types.items[i],
                   &source->spec.instance_types.items[i]);
    symbols_destroy(packing.texts);
    assert(packing.used <= UINT32_MAX);
    to->references = 1;
    to->bytes = (uint32_t)packing.used;
    return to;
}

// --- copies --------------------------------------------------------------------------------------

struct move {
    uintptr_t from, bytes;
    uintptr_t to;
};

// A pointer that has been moved before, or that leads elsewhere, stays.
static void move(const struct move *move, void *pointer)
{
    uintptr_t *value = pointer;
    if (*value - move->from < move->bytes)
        *value = *value - move->from + move->to;
}

static void move_requirements(const struct move *block, requirement_list *list)
{
    move(block, &list->items);
    list_for_each (requirement, list) {
        move(block, &requirement->values.items);
        for (uint32_t i = 0; i < requirement->values.count; i++)
            move(block, &requirement->values.items[i]);
    }
}

static void move_type(const struct move *block, struct instance_type *type)
{
    move(block, &type->name);
    move_requirements(block, &type->requirements);
    move(block, &type->capacity.items);
    move(block, &type->overhead.kube_reserved.items);
    move(block, &type->overhead.system_reserved.items);
    move(block, &type->overhead.eviction_threshold.items);
    move(block, &type->offerings.items);
    list_for_each (offering, &type->offerings)
        move_requirements(block, &offering->requirements);
}

struct instance_type_catalog *catalogue_clone(const struct instance_type_catalog *packed)
{
    struct instance_type_catalog *copy = memory_copy(packed, packed->bytes);
    copy->references = 1;
    const struct move block = {(uintptr_t)packed, packed->bytes, (uintptr_t)copy};
    move(&block, &copy->spec.instance_types.items);
    list_for_each (type, &copy->spec.instance_types)
        move_type(&block, type);
    return copy;
}
