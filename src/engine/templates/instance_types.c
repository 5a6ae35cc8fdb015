#include "engine/templates/instance_types.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/reading/catalog.h"
#include "model/tables/well_known.h"

static const struct instance_type_catalog *catalog_at(const struct problem *problem, uint32_t index)
{
    const struct object **items = problem->snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].items;
    return (const struct instance_type_catalog *)items[index];
}

static uint32_t catalogs_count(const struct problem *problem)
{
    return problem->snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count;
}

static void learn_requirements(struct problem *problem, const requirement_list *list)
{
    list_for_each (entry, list)
        vocabulary_mark_well_known(problem->vocabulary,
                                   vocabulary_key(problem->vocabulary, entry->key));
}

// Marks all of the provider's well-known labels once a catalog carries one of its own.
static void learn_provider(struct problem *problem, const struct provider_labels *labels)
{
    bool found = false;
    for (const char *const *key = labels->well_known; *key != NULL && !found; key++) {
        uint32_t symbol = vocabulary_find_key(problem->vocabulary, *key);
        found = symbol != SYMBOL_NONE && text_starts_with(*key, labels->group) &&
                vocabulary_is_well_known(problem->vocabulary, symbol);
    }
    for (const char *const *key = labels->well_known; *key != NULL && found; key++)
        vocabulary_mark_well_known(problem->vocabulary, vocabulary_key(problem->vocabulary, *key));
    if (found && labels->restricts_pods && problem->catalog.labels == NULL)
        problem->catalog.labels = labels;
}

void instance_types_learn_keys(struct problem *problem)
{
    for (uint32_t i = 0; i < catalogs_count(problem); i++)
        list_for_each (type, &catalog_at(problem, i)->spec.instance_types) {
            learn_requirements(problem, &type->requirements);
            list_for_each (offering, &type->offerings)
                learn_requirements(problem, &offering->requirements);
        }
    for (const struct provider_labels *const *labels = provider_labels_all; *labels != NULL;
         labels++)
        learn_provider(problem, *labels);
}

void instance_types_add_dimensions(struct problem *problem)
{
    for (uint32_t i = 0; i < catalogs_count(problem); i++)
        list_for_each (type, &catalog_at(problem, i)->spec.instance_types) {
            problem_add_dimensions(problem, &type->capacity);
            list_for_each (offering, &type->offerings)
                problem_add_dimensions(problem, &offering->capacity_override);
        }
}

static bool serves(const struct instance_type_catalog *catalog, const struct node_pool *pool,
                   bool by_name)
{
    if (catalog->spec.node_pools.items == NULL || catalog->spec.node_pools.count == 0)
        return !by_name;
    return by_name && string_list_has(&catalog->spec.node_pools, pool->meta.name);
}

static int compare_types(const void *a, const void *b)
{
    const struct instance_type *x = *(const struct instance_type *const *)a;
    const struct instance_type *y = *(const struct instance_type *const *)b;
    int order = strcmp(x->name, y->name);
    return order;
}

const struct instance_type **instance_types_list(struct problem *problem,
                                                 const struct node_pool *pool, uint32_t *count)
{
    bool by_name = false;
    uint32_t total = 0;
    *count = 0;
    for (uint32_t i = 0; i < catalogs_count(problem) && !by_name; i++)
        by_name = serves(catalog_at(problem, i), pool, true);
    for (uint32_t i = 0; i < catalogs_count(problem); i++)
        if (serves(catalog_at(problem, i), pool, by_name))
            total += catalog_at(problem, i)->spec.instance_types.count;
    const struct instance_type **types =
        arena_allocate_array(problem->arena, total + 1, sizeof *types);
    for (uint32_t i = 0; i < catalogs_count(problem); i++)
        if (serves(catalog_at(problem, i), pool, by_name))
            list_for_each (type, &catalog_at(problem, i)->spec.instance_types)
                types[(*count)++] = type;
    assert(*count == total);
    qsort(types, *count, sizeof *types, compare_types);
    return types;
}

uint32_t instance_type_set(struct problem *problem, const struct instance_type *type)
{
    uint32_t set = set_from_api(problem->sets, &type->requirements);
    uint32_t name = vocabulary_value(problem->vocabulary, type->name);
    struct requirement own = {.key = problem->keys.instance_type, .count = 1, .values = &name};
    return set_replace(problem->sets, set, &own);
}
