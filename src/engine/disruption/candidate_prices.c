#include "engine/disruption/candidate_prices.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "engine/disruption/spot_window.h"
#include "engine/problem/state_node.h"
#include "engine/templates/effective_price.h"
#include "engine/templates/overlays.h"
#include "model/reading/catalog.h"
#include "model/reading/pod.h"
#include "model/schema/resources.h"

void candidate_prices_begin(struct candidate_prices *prices)
{
    assert(prices->types == NULL);
    prices->terms = prices->problem != NULL ? prices->problem->catalog.prices
                                            : price_terms_of(prices->snapshot);
    prices->types = map_create();
    for (uint32_t i = 0; i < prices->snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)prices->snapshot
                ->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        list_for_each (type, &catalog->spec.instance_types)
            map_set(prices->types, arena_format(prices->arena, "%u/%s", i, type->name), type);
    }
}

void candidate_prices_free(struct candidate_prices *prices)
{
    map_destroy(prices->types, NULL);
}

static const struct instance_type_catalog *catalog_at(const struct candidate_prices *prices,
                                                      uint32_t index)
{
    return (const struct instance_type_catalog *)prices->snapshot
        ->objects[KIND_INSTANCE_TYPE_CATALOG]
        .items[index];
}

// FMT-6: the catalogs that name the pool, or else those that name none.
static bool serves(const struct instance_type_catalog *catalog, const struct disruption_pool *pool)
{
    if (catalog->spec.node_pools.count == 0)
        return !pool->own_types;
    return pool->own_types && string_list_has(&catalog->spec.node_pools, pool->pool->meta.name);
}

void candidate_prices_find_types(const struct candidate_prices *prices,
                                 struct disruption_pool *pool)
{
    uint32_t count = prices->snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count;
    for (uint32_t i = 0; i < count; i++)
        pool->own_types =
            pool->own_types ||
            string_list_has(&catalog_at(prices, i)->spec.node_pools, pool->pool->meta.name);
    for (uint32_t i = 0; i < count; i++)
        if (serves(catalog_at(prices, i), pool) &&
            catalog_at(prices, i)->spec.instance_types.count > 0 &&
            (pool->catalog == NULL ||
             strcmp(catalog_at(prices, i)->meta.name, pool->catalog->meta.name) < 0))
            pool->catalog = catalog_at(prices, i);
}

const struct instance_type *candidate_prices_type(const struct candidate_prices *prices,
                                                  const struct disruption_pool *pool,
                                                  const char *name)
{
    for (uint32_t i = 0; i < prices->snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        if (!serves(catalog_at(prices, i), pool))
            continue;
        char *key = arena_format(prices->arena, "%u/%s", i, name);
        const struct instance_type *type = map_get(prices->types, key);
        if (type != NULL)
            return type;
    }
    return NULL;
}

static const struct offering *offering_of(const struct candidate_prices *prices,
                                          const struct state_node *state,
                                          const struct instance_type *type)
{
    return type != NULL
               ? instance_type_offering(type, state->labels, prices->strategy->prices_reservations)
               : NULL;
}

bool candidate_prices_price(const struct candidate_prices *prices, const struct state_node *state,
                            const struct node_pool *pool, const struct instance_type *type,
                            int64_t *price)
{
    const struct offering *offering = offering_of(prices, state, type);
    *price = 0;
    if (offering == NULL)
        return false;
    const struct overlay_effect *effect =
        prices->problem != NULL ? overlays_effect(prices->problem, pool, type) : NULL;
    size_t index = (size_t)(offering - type->offerings.items);
    assert(index < type->offerings.count);
    *price = effect != NULL && effect->prices[index] >= 0 ? effect->prices[index] : offering->price;
    if (text_equal(string_map_get(state->labels, LABEL_CAPACITY_TYPE), CAPACITY_TYPE_SPOT))
        *price = spot_window_lowest(prices->spot, type->name,
                                    string_map_get(state->labels, LABEL_ZONE), *price);
    return true;
}

static int64_t requested_cpu(const struct state_node *state)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    int64_t cpu = 0;
    list_for_each (pod, &state->pods) {
        struct resource_map requests = pod_requests(scratch, *pod);
        cpu = quantity_add(cpu, resource_map_get(&requests, "cpu"));
    }
    return cpu;
}

bool candidate_prices_effective(const struct candidate_prices *prices,
                                const struct state_node *state, const struct node_pool *pool,
                                const struct instance_type *type, int64_t *price)
{
    if (!candidate_prices_price(prices, state, pool, type, price))
        return false;
    struct row_burst burst = price_burst(&prices->terms, type, 0);
    *price = quantity_add(*price,
                          price_surcharge(&prices->terms, type, offering_of(prices, state, type)));
    if (burst.rate > 0)
        *price = quantity_add(*price, price_burst_cost(burst, requested_cpu(state)));
    return true;
}
