#include "engine/disruption/spot_window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"

static int compare_prices(const void *a, const void *b)
{
    const struct spot_price *x = a, *y = b;
    int order = strcmp(x->type, y->type);
    return order != 0 ? order : strcmp(x->zone, y->zone);
}

static const struct spot_price *find(const struct spot_price_list *prices, const char *type,
                                     const char *zone)
{
    if (prices == NULL || prices->count == 0 || type == NULL || zone == NULL)
        return NULL;
    const struct spot_price key = {.type = type, .zone = zone};
    return bsearch(&key, prices->items, prices->count, sizeof *prices->items, compare_prices);
}

int64_t spot_window_lowest(const struct spot_price_list *prices, const char *type, const char *zone,
                           int64_t price)
{
    const struct spot_price *found = find(prices, type, zone);
    return found != NULL && found->lowest < price ? found->lowest : price;
}

// The single value that the set allows for the key, or NULL.
static const char *value_of(const struct problem *problem, uint32_t set, uint32_t key)
{
    const struct requirement *requirement = set_get(problem->sets, set, key);
    if (requirement == NULL || requirement->complement || requirement->count != 1)
        return NULL;
    return vocabulary_value_text(problem->vocabulary, requirement->values[0]);
}

static void raise_row(const struct problem *problem, const struct row *row,
                      const struct spot_price_list *prices)
{
    list_for_each (offering, &row->offerings) {
        if (!text_equal(value_of(problem, offering->set, problem->keys.capacity_type),
                        CAPACITY_TYPE_SPOT))
            continue;
        const struct spot_price *found =
            find(prices, row->type->name, value_of(problem, offering->set, problem->keys.zone));
        if (found == NULL || found->highest <= offering->list)
            continue;
        offering->price = quantity_add(offering->price, found->highest - offering->list);
        offering->list = found->highest;
    }
}

void spot_window_raise(struct problem *problem, const struct spot_price_list *prices)
{
    if (prices == NULL)
        return;
    for (uint32_t t = 0; t < problem->templates.count; t++) {
        const struct type_table *table = problem->templates.items[t]->table;
        for (uint32_t r = 0; r < table->count; r++)
            raise_row(problem, &table->rows[r], prices);
    }
}
