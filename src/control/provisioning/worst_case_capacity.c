#include "control/provisioning/worst_case_capacity.h"

#include <stdlib.h>
#include <string.h>

struct pool_types {
    const struct instance_type_catalog *catalog; // NULL: cannot be read
    struct map *by_name;
};

struct worst_case_capacity {
    struct control *control;
    struct map *pools; // name -> struct pool_types
};

struct worst_case_capacity *worst_case_capacity_create(struct control *control)
{
    struct worst_case_capacity *largest = memory_allocate(sizeof *largest);
    largest->control = control;
    largest->pools = map_create();
    return largest;
}

static void pool_types_destroy(void *value)
{
    struct pool_types *types = value;
    object_release((const struct object *)types->catalog);
    map_destroy(types->by_name, NULL);
    free(types);
}

void worst_case_capacity_destroy(struct worst_case_capacity *largest)
{
    map_destroy(largest->pools, pool_types_destroy);
    free(largest);
}

static const struct pool_types *types_of(struct worst_case_capacity *largest,
                                         const struct node_pool *pool)
{
    struct pool_types *types = map_get(largest->pools, pool->meta.name);
    if (types != NULL)
        return types;
    struct cloud *cloud = largest->control->cloud;
    struct error error = {0};
    types = memory_allocate(sizeof *types);
    // The whole catalog, with what is backed off: a NodeClaim made before may still become that.
    types->catalog = cloud->operations->instance_types(cloud, pool, &error);
    types->by_name = map_create();
    if (types->catalog != NULL)
        list_for_each (type, &types->catalog->spec.instance_types)
            map_set(types->by_name, type->name, type);
    map_set(largest->pools, pool->meta.name, types);
    return types;
}

static void raise_to(struct resource_map *most, const struct resource_map *amounts)
{
    list_for_each (entry, most) {
        int64_t amount = resource_map_get(amounts, entry->name);
        if (amount > entry->value)
            entry->value = amount;
    }
}

struct resource_map worst_case_machine(struct worst_case_capacity *largest, struct arena *arena,
                                       const struct node_pool *pool, const struct node_claim *claim)
{
    struct resource_map most = {0};
    most.items = arena_allocate_array(arena, pool->spec.limits.count + 1, sizeof *most.items);
    list_for_each (limit, &pool->spec.limits)
        if (strcmp(limit->name, "nodes") != 0)
            most.items[most.count++].name = limit->name;
    if (most.count == 0)
        return most;
    raise_to(&most, &claim->spec.resources.requests);
    const struct pool_types *types = types_of(largest, pool);
    list_for_each (requirement, &claim->spec.requirements) {
        if (strcmp(requirement->key, LABEL_INSTANCE_TYPE) != 0)
            continue;
        list_for_each (name, &requirement->values) {
            const struct instance_type *type = map_get(types->by_name, *name);
            if (type != NULL)
                raise_to(&most, &type->capacity);
        }
    }
    return most;
}
