#include "engine/templates/pool_types.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/devices/device_bounds.h"
#include "engine/templates/effective_price.h"
#include "engine/templates/instance_types.h"
#include "engine/templates/overlays.h"
#include "model/reading/catalog.h"
#include "model/tables/well_known.h"

static bool has_overrides(const struct offering *offering)
{
    return offering->capacity_override.count > 0 || offering->overhead_override.count > 0;
}

static bool maps_equal(const struct resource_map *a, const struct resource_map *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->items[i].value != b->items[i].value ||
            strcmp(a->items[i].name, b->items[i].name) != 0)
            return false;
    return true;
}

static bool same_overrides(const struct offering *a, const struct offering *b)
{
    return maps_equal(&a->capacity_override, &b->capacity_override) &&
           maps_equal(&a->overhead_override, &b->overhead_override);
}

// `base` with the entries of `over` replaced or added.
static struct resource_map replaced(struct arena *arena, const struct resource_map *base,
                                    const struct resource_map *over)
{
    struct resource_map result = {0};
    result.items = arena_allocate_array(arena, base->count + over->count + 1, sizeof *result.items);
    uint32_t i = 0, j = 0;
    while (i < base->count || j < over->count) {
        int order = i == base->count   ? 1
                    : j == over->count ? -1
                                       : strcmp(base->items[i].name, over->items[j].name);
        result.items[result.count++] = order < 0 ? base->items[i] : over->items[j];
        i += order <= 0;
        j += order >= 0;
    }
    return result;
}

static uint32_t reservation_of(struct problem *problem, uint32_t set,
                               const struct offering *offering)
{
    const struct requirement *capacity_type =
        set_get(problem->sets, set, problem->keys.capacity_type);
    uint32_t reserved = vocabulary_find_value(problem->vocabulary, CAPACITY_TYPE_RESERVED);
    if (!problem->settings->gate_reserved_capacity || capacity_type == NULL ||
        reserved == SYMBOL_NONE || capacity_type->complement ||
        !requirement_has(problem->vocabulary, capacity_type, reserved))
        return NONE;
    for (uint32_t i = 0; i < problem->sets->sets[set].count; i++) {
        const struct requirement *requirement =
            requirement_get(problem->sets, problem->sets->sets[set].requirements[i]);
        const char *key = vocabulary_key_text(problem->vocabulary, requirement->key);
        if (!text_ends_with(key, "reservation-id") || requirement->complement ||
            requirement->count != 1)
            continue;
        int64_t capacity =
            offering->reservation_capacity.present ? offering->reservation_capacity.value : 0;
        for (uint32_t r = 0; r < problem->catalog.reservations_count; r++)
            if (problem->catalog.reservations[r].value == requirement->values[0] &&
                problem->catalog.reservations[r].key == requirement->key) {
                if (capacity < problem->catalog.reservations[r].capacity)
                    problem->catalog.reservations[r].capacity = capacity;
                return r;
            }
        struct reservation *grown = arena_allocate_array(
            problem->arena, problem->catalog.reservations_count + 1, sizeof *grown);
        if (problem->catalog.reservations_count > 0)
            memcpy(grown, problem->catalog.reservations,
                   problem->catalog.reservations_count * sizeof *grown);
        grown[problem->catalog.reservations_count] =
            (struct reservation){vocabulary_value_text(problem->vocabulary, requirement->values[0]),
                                 requirement->values[0], requirement->key, capacity};
        problem->catalog.reservations = grown;
        return problem->catalog.reservations_count++;
    }
    return NONE;
}

#define LISTS_SEEN 16

// Sets of the lists seen last: providers share the few lists of zones and capacity types between
// the offerings of all types.
struct list_memo {
    struct {
        const void *items;
        uint32_t count, set;
    } seen[LISTS_SEEN];
    uint32_t next;
};

static uint32_t set_of_list(struct problem *problem, struct list_memo *memo,
                            const requirement_list *list)
{
    for (uint32_t i = 0; list->count > 0 && i < LISTS_SEEN; i++)
        if (memo->seen[i].items == list->items && memo->seen[i].count == list->count)
            return memo->seen[i].set;
    uint32_t set = set_from_api(problem->sets, list);
    memo->seen[memo->next].items = list->items;
    memo->seen[memo->next].count = list->count;
    memo->seen[memo->next].set = set;
    memo->next = (memo->next + 1) % LISTS_SEEN;
    return set;
}

static void mark_keys(struct problem *problem, struct type_table *table, uint32_t set)
{
    for (uint32_t i = 0; i < problem->sets->sets[set].count; i++) {
        uint32_t key =
            requirement_get(problem->sets, problem->sets->sets[set].requirements[i])->key;
        if (key >= table->has_key_count) {
            table->has_key = memory_resize(table->has_key, key + 32);
            memset(table->has_key + table->has_key_count, 0, key + 32 - table->has_key_count);
            table->has_key_count = key + 32;
        }
        table->has_key[key] = true;
    }
}

static uint32_t variety_of(struct type_table *table, uint32_t set)
{
    for (uint32_t i = 0; i < table->varieties_count; i++)
        if (table->varieties[i] == set)
            return i;
    table->varieties =
        memory_resize(table->varieties, (table->varieties_count + 1) * sizeof *table->varieties);
    table->varieties[table->varieties_count] = set;
    return table->varieties_count++;
}

static int64_t *row_allocatable(struct problem *problem, const struct instance_type *type,
                                const struct offering *offering)
{
    int64_t *vector = vector_create(problem);
    struct resource_map map = instance_type_allocatable(problem->arena, type, offering);
    vector_set_map(problem, vector, &map);
    return vector;
}

// Rows of one type: the base group first, the others in order of appearance (SCH-118). A type
// without available offerings keeps its base row, which messages count.
static void add_rows(struct problem *problem, struct type_table *table,
                     const struct instance_type *type, const struct overlay_effect *effect,
                     struct list_memo *memo)
{
    uint32_t set = instance_type_set(problem, type);
    mark_keys(problem, table, set);
    const struct offering **leaders =
        memory_allocate_array(type->offerings.count + 1, sizeof *leaders);
    uint32_t groups = 1, first = table->count;
    for (uint32_t i = 0; i < type->offerings.count; i++) {
        const struct offering *offering = &type->offerings.items[i];
        if (!offering->available) {
            if (offering->reservation_capacity.present) // it still reports what is left (SCH-255)
                reservation_of(problem, set_of_list(problem, memo, &offering->requirements),
                               offering);
            continue;
        }
        uint32_t group = 0;
        if (has_overrides(offering)) {
            for (group = 1; group < groups && !same_overrides(leaders[group], offering); group++)
                continue;
            if (group == groups)
                leaders[groups++] = offering;
        }
        if (first + group >= table->count) {
            table->rows = memory_resize(table->rows, (first + group + 1) * sizeof *table->rows);
            for (uint32_t r = table->count; r <= first + group; r++)
                table->rows[r] = (struct row){0};
            table->count = first + group + 1;
        }
        assert(group < groups);
        struct row *row = &table->rows[first + group];
        if (row->offerings.items == NULL)
            row->offerings.items = arena_allocate_array(problem->arena, type->offerings.count,
                                                        sizeof *row->offerings.items);
        uint32_t offering_set = set_of_list(problem, memo, &offering->requirements);
        mark_keys(problem, table, offering_set);
        uint32_t reservation = reservation_of(problem, offering_set, offering);
        table->has_reservations = table->has_reservations || reservation != NONE;
        assert(row->offerings.count < type->offerings.count);
        int64_t list =
            effect != NULL && effect->prices[i] >= 0 ? effect->prices[i] : offering->price;
        int64_t surcharge = price_surcharge(&problem->catalog.prices, type, offering);
        table->has_surcharges = table->has_surcharges || surcharge != 0;
        row->offerings.items[row->offerings.count++] =
            (struct row_offering){.set = offering_set,
                                  .variety = variety_of(table, offering_set),
                                  .price = quantity_add(list, surcharge),
                                  .list = list,
                                  .reservation = reservation,
                                  .source = offering};
        if (effect != NULL && effect->prices[i] >= 0)
            row->price_overlaid = true;
    }
    if (table->count == first) {
        table->rows = memory_resize(table->rows, (first + 1) * sizeof *table->rows);
        table->rows[table->count++] = (struct row){0};
    }
    for (uint32_t r = first; r < table->count; r++) {
        struct row *row = &table->rows[r];
        const struct offering *leader = r > first ? leaders[r - first] : NULL;
        const struct instance_type *effective = effect != NULL ? &effect->type : type;
        row->type = type;
        row->type_index = table->types_count;
        row->set = set;
        row->capacity_overlaid = effect != NULL && effect->capacity_changed;
        int64_t *capacity = vector_create(problem);
        struct resource_map map = effective->capacity;
        if (leader != NULL)
            map = replaced(problem->arena, &effective->capacity, &leader->capacity_override);
        vector_set_map(problem, capacity, &map);
        row->capacity = capacity;
        int64_t *allocatable = row_allocatable(problem, effective, leader);
        devices_set_type(problem, type, allocatable);
        row->allocatable = allocatable;
    }
    assert(table->count > first);
    table->types_count++;
    free(leaders);
}

static void index_varieties(struct problem *problem, struct type_table *table)
{
    table->variety_rows = arena_allocate_array(problem->arena, table->varieties_count + 1,
                                               sizeof *table->variety_rows);
    for (uint32_t v = 0; v < table->varieties_count; v++)
        table->variety_rows[v] = bitset_create(problem->arena, table->count);
    for (uint32_t r = 0; r < table->count; r++)
        list_for_each (offering, &table->rows[r].offerings)
            bitset_set(table->variety_rows[offering->variety], r);
}

// The table of another pool with the same types, unless overlays may differ between the pools.
static struct type_table *same_table(struct problem *problem, const struct instance_type **types,
                                     uint32_t count)
{
    for (struct type_table *table = problem->catalog.tables;
         table != NULL && problem->catalog.overlays == NULL; table = table->next)
        if (table->types_count == count && memcmp(table->types, types, count * sizeof *types) == 0)
            return table;
    return NULL;
}

struct type_table *instance_types_for_pool(struct problem *problem, const struct node_pool *pool)
{
    uint32_t count;
    struct list_memo memo = {0};
    const struct instance_type **types = instance_types_list(problem, pool, &count);
    if (count == 0)
        return NULL;
    struct type_table *table = same_table(problem, types, count);
    if (table != NULL)
        return table;
    table = arena_allocate(problem->arena, sizeof *table);
    table->types = types;
    table->next = problem->catalog.tables;
    problem->catalog.tables = table;
    for (uint32_t i = 0; i < count; i++)
        add_rows(problem, table, types[i], overlays_effect(problem, pool, types[i]), &memo);
    assert(table->types_count == count);
    assert(table->count >= count);
    index_varieties(problem, table);
    return table;
}
