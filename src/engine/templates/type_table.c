#include "engine/templates/type_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/tables/well_known.h"

void type_table_free(struct type_table *table)
{
    free(table->rows);
    free(table->varieties);
    free(table->has_key);
    free(table->rows_by_requirement);
    free(table->filters);
}

static void *grown(void *items, uint32_t *capacity, uint32_t needed, size_t size)
{
    if (needed < *capacity)
        return items;
    uint32_t larger = *capacity == 0 ? 256 : *capacity;
    while (larger <= needed)
        larger *= 2;
    items = memory_resize(items, larger * size);
    memset((char *)items + *capacity * size, 0, (larger - *capacity) * size);
    *capacity = larger;
    return items;
}

// The rows whose own requirement on the key, if any, intersects this one (SCH-77).
static struct bitset rows_for_requirement(struct problem *problem, struct type_table *table,
                                          uint32_t requirement)
{
    assert(requirement < problem->sets->requirements_count);
    table->rows_by_requirement =
        grown(table->rows_by_requirement, &table->rows_by_requirement_capacity, requirement,
              sizeof *table->rows_by_requirement);
    if (table->rows_by_requirement[requirement] != NULL)
        return *table->rows_by_requirement[requirement];
    struct bitset *rows = arena_allocate(problem->arena, sizeof *rows);
    *rows = bitset_create(problem->arena, table->count);
    uint32_t key = requirement_get(problem->sets, requirement)->key;
    uint32_t last = REQUIREMENT_NONE;
    bool last_agrees = true;
    for (uint32_t r = 0; r < table->count; r++) {
        uint32_t own = set_find(problem->sets, table->rows[r].set, key);
        if (own != last || r == 0) {
            const struct requirement *asked = requirement_get(problem->sets, requirement);
            last = own;
            last_agrees = own == REQUIREMENT_NONE ||
                          requirement_has_intersection(
                              problem->vocabulary, requirement_get(problem->sets, own), asked) ||
                          (requirement_accepts_absence(requirement_get(problem->sets, own)) &&
                           requirement_accepts_absence(asked));
        }
        if (last_agrees)
            bitset_set(*rows, r);
    }
    table->rows_by_requirement[requirement] = rows;
    return *rows;
}

const struct row_filter *type_table_filter(struct problem *problem, struct type_table *table,
                                           uint32_t set)
{
    if (set < table->filters_capacity && table->filters[set] != NULL)
        return table->filters[set];
    assert(set < problem->sets->sets_count);
    assert(table->count > 0);
    struct row_filter *filter = arena_allocate(problem->arena, sizeof *filter);
    filter->compatible = bitset_create(problem->arena, table->count);
    filter->offered = bitset_create(problem->arena, table->count);
    filter->both = bitset_create(problem->arena, table->count);
    bitset_fill(filter->compatible);
    for (uint32_t i = 0; i < problem->sets->sets[set].count; i++) {
        uint32_t requirement = problem->sets->sets[set].requirements[i];
        if (type_table_has_key(table, requirement_get(problem->sets, requirement)->key))
            bitset_and(filter->compatible, rows_for_requirement(problem, table, requirement));
    }
    for (uint32_t v = 0; v < table->varieties_count; v++)
        if (sets_compatible(problem->sets, set, table->varieties[v], true))
            for (uint32_t w = 0; w < bitset_words(table->count); w++)
                filter->offered.words[w] |= table->variety_rows[v].words[w];
    bitset_copy(filter->both, filter->compatible);
    bitset_and(filter->both, filter->offered);
    table->filters = grown(table->filters, &table->filters_capacity, set, sizeof *table->filters);
    table->filters[set] = filter;
    return filter;
}

struct price_order {
    const struct type_table *table;
    const int64_t *cheapest;
};

static int compare_prices(const void *a, const void *b, void *context)
{
    const struct price_order *order = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (order->cheapest[x] != order->cheapest[y])
        return order->cheapest[x] < order->cheapest[y] ? -1 : 1;
    int names = strcmp(order->table->rows[x].type->name, order->table->rows[y].type->name);
    return names != 0 ? names : x < y ? -1 : x > y;
}

const struct row_filter *type_table_prices(struct problem *problem, struct type_table *table,
                                           uint32_t set)
{
    struct row_filter *filter =
        (struct row_filter *)(uintptr_t)type_table_filter(problem, table, set);
    if (filter->cheapest != NULL)
        return filter;
    bool *allowed = memory_allocate_array(table->varieties_count + 1, sizeof *allowed);
    for (uint32_t v = 0; v < table->varieties_count; v++)
        allowed[v] = sets_compatible(problem->sets, set, table->varieties[v], true);
    filter->cheapest =
        arena_allocate_array(problem->arena, table->count + 1, sizeof *filter->cheapest);
    filter->by_price =
        arena_allocate_array(problem->arena, table->count + 1, sizeof *filter->by_price);
    filter->lowest = INT64_MAX;
    for (uint32_t r = 0; r < table->count; r++) {
        filter->by_price[r] = r;
        filter->cheapest[r] = INT64_MAX;
        list_for_each (offering, &table->rows[r].offerings)
            if (allowed[offering->variety] && offering->price < filter->cheapest[r])
                filter->cheapest[r] = offering->price;
        if (bitset_has(filter->both, r) && filter->cheapest[r] < filter->lowest)
            filter->lowest = filter->cheapest[r];
    }
    free(allowed);
    qsort_r(filter->by_price, table->count, sizeof *filter->by_price, compare_prices,
            &(struct price_order){table, filter->cheapest});
    assert(filter->cheapest[filter->by_price[0]] <= filter->lowest);
    return filter;
}

// --- worst-case prices ---------------------------------------------------------------------------
// Reserved capacity comes before spot, spot before on-demand.
static uint32_t capacity_rank(struct problem *problem, uint32_t set)
{
    static const char *const order[] = {CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_SPOT};
    const struct requirement *requirement =
        set_get(problem->sets, set, problem->keys.capacity_type);
    for (uint32_t i = 0; i < ARRAY_LENGTH(order); i++) {
        uint32_t value = vocabulary_find_value(problem->vocabulary, order[i]);
        if (requirement != NULL && !requirement->complement && value != SYMBOL_NONE &&
            requirement_has(problem->vocabulary, requirement, value))
            return i;
    }
    return ARRAY_LENGTH(order);
}

const int64_t *type_table_worst_prices(struct problem *problem, struct type_table *table,
                                       uint32_t set)
{
    struct row_filter *filter =
        (struct row_filter *)(uintptr_t)type_table_filter(problem, table, set);
    if (filter->worst != NULL)
        return filter->worst;
    bool *allowed = memory_allocate_array(table->varieties_count + 1, sizeof *allowed);
    uint32_t *ranks = memory_allocate_array(table->varieties_count + 1, sizeof *ranks);
    for (uint32_t v = 0; v < table->varieties_count; v++) {
        allowed[v] = sets_compatible(problem->sets, set, table->varieties[v], true);
        ranks[v] = capacity_rank(problem, table->varieties[v]);
    }
    filter->worst = arena_allocate_array(problem->arena, table->count + 1, sizeof *filter->worst);
    for (uint32_t r = 0; r < table->count; r++) {
        uint32_t best = UINT32_MAX;
        int64_t dearest = 0;
        list_for_each (offering, &table->rows[r].offerings) {
            if (!allowed[offering->variety] || ranks[offering->variety] > best)
                continue;
            if (ranks[offering->variety] < best || offering->price > dearest)
                dearest = offering->price;
            best = ranks[offering->variety];
        }
        filter->worst[r] = best == UINT32_MAX ? INT64_MAX : dearest;
    }
    free(allowed);
    free(ranks);
    return filter->worst;
}

// --- list prices ---------------------------------------------------------------------------------

const struct row_filter *type_table_list_prices(struct problem *problem, struct type_table *table,
                                                uint32_t set)
{
    struct row_filter *filter =
        (struct row_filter *)(uintptr_t)type_table_prices(problem, table, set);
    if (filter->list != NULL)
        return filter;
    if (!table->has_surcharges) {
        filter->list = filter->cheapest;
        filter->by_list = filter->by_price;
        return filter;
    }
    bool *allowed = memory_allocate_array(table->varieties_count + 1, sizeof *allowed);
    for (uint32_t v = 0; v < table->varieties_count; v++)
        allowed[v] = sets_compatible(problem->sets, set, table->varieties[v], true);
    filter->list = arena_allocate_array(problem->arena, table->count + 1, sizeof *filter->list);
    filter->by_list =
        arena_allocate_array(problem->arena, table->count + 1, sizeof *filter->by_list);
    for (uint32_t r = 0; r < table->count; r++) {
        filter->by_list[r] = r;
        filter->list[r] = INT64_MAX;
        list_for_each (offering, &table->rows[r].offerings)
            if (allowed[offering->variety] && offering->list < filter->list[r])
                filter->list[r] = offering->list;
    }
    free(allowed);
    qsort_r(filter->by_list, table->count, sizeof *filter->by_list, compare_prices,
            &(struct price_order){table, filter->list});
    return filter;
}
