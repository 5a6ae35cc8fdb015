#include "cloud/aws/overlaid_catalog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "engine/compile/compile.h"
#include "engine/templates/overlays.h"
#include "model/schema/pack.h"
#include "model/snapshot/snapshot.h"

struct result { // of one NodePool
    const struct node_pool *pool;
    const struct instance_type_catalog *catalog; // a reference; the question
    const struct instance_type_catalog *made;    // a reference; NULL: nothing changes
};
struct overlaid_catalog {
    struct mirror *mirror;
    const struct settings *settings;
    struct map *results; // by NodePool
};

static void free_result(void *value)
{
    struct result *result = value;
    object_release((const struct object *)result->pool);
    object_release((const struct object *)result->catalog);
    object_release((const struct object *)result->made);
    free(result);
}

static void forget_all(struct overlaid_catalog *overlaid)
{
    map_destroy(overlaid->results, free_result);
    overlaid->results = map_create();
}

static void overlay_changed(void *context, enum mirror_change change,
                            const struct object *old_object, const struct object *new_object)
{
    (void)change;
    (void)old_object;
    (void)new_object;
    forget_all(context);
}

struct overlaid_catalog *overlaid_catalog_create(struct mirror *mirror,
                                                 const struct settings *settings)
{
    struct overlaid_catalog *overlaid = memory_allocate(sizeof *overlaid);
    overlaid->mirror = mirror;
    overlaid->settings = settings;
    overlaid->results = map_create();
    if (settings->gate_node_overlay)
        mirror_on_change(mirror, KIND_NODE_OVERLAY, overlay_changed, overlaid);
    return overlaid;
}

void overlaid_catalog_destroy(struct overlaid_catalog *overlaid)
{
    if (overlaid == NULL)
        return;
    map_destroy(overlaid->results, free_result);
    free(overlaid);
}

// The type with the effect applied, in the arena.
static void apply(struct arena *arena, const struct overlay_effect *effect,
                  struct instance_type *type)
{
    struct offering *offerings =
        arena_allocate_array(arena, type->offerings.count + 1, sizeof *offerings);
    if (type->offerings.count > 0)
        memcpy(offerings, type->offerings.items, type->offerings.count * sizeof *offerings);
    for (uint32_t i = 0; effect->prices != NULL && i < type->offerings.count; i++)
        if (effect->prices[i] >= 0)
            offerings[i].price = effect->prices[i];
    type->offerings.items = offerings;
    if (effect->capacity_changed)
        type->capacity = effect->type.capacity;
}

static const struct instance_type_catalog *make(struct overlaid_catalog *overlaid,
                                                const struct node_pool *pool,
                                                const struct instance_type_catalog *catalog)
{
    struct snapshot *snapshot = snapshot_create();
    struct arena *arena CLEANUP_ARENA = arena_create(1 << 16);
    struct mirror_iterator iterator = {0};
    const struct object *overlay, *made = NULL;
    bool changed = false;
    snapshot->settings.gate_node_overlay = true;
    snapshot_add(snapshot, (const struct object *)pool);
    snapshot_add(snapshot, (const struct object *)catalog);
    while ((overlay = mirror_next(overlaid->mirror, KIND_NODE_OVERLAY, &iterator)) != NULL)
        snapshot_add(snapshot, overlay);
    struct problem *problem = problem_create(snapshot, arena, false);
    struct instance_type_catalog copy = *catalog;
    copy.spec.instance_types.items = arena_allocate_array(
        arena, catalog->spec.instance_types.count + 1, sizeof(struct instance_type));
    for (uint32_t i = 0; i < catalog->spec.instance_types.count; i++) {
        const struct instance_type *type = &catalog->spec.instance_types.items[i];
        const struct overlay_effect *effect = overlays_effect(problem, pool, type);
        copy.spec.instance_types.items[i] = *type;
        if (effect != NULL)
            apply(arena, effect, &copy.spec.instance_types.items[i]);
        changed = changed || effect != NULL;
    }
    if (changed)
        made = object_copy((const struct object *)&copy);
    problem_destroy(problem);
    snapshot_destroy(snapshot);
    return (const struct instance_type_catalog *)made;
}

const struct instance_type_catalog *overlaid_catalog_of(struct overlaid_catalog *overlaid,
                                                        const struct node_pool *pool,
                                                        const struct instance_type_catalog *catalog)
{
    assert(pool != NULL);
    assert(catalog != NULL);
    if (!overlaid->settings->gate_node_overlay ||
        mirror_count(overlaid->mirror, KIND_NODE_OVERLAY) == 0)
        return NULL;
    struct result *result = map_get(overlaid->results, pool->meta.name);
    if (result == NULL || result->catalog != catalog || result->pool != pool) {
        if (result != NULL)
            free_result(map_remove(overlaid->results, pool->meta.name));
        result = map_ensure(overlaid->results, pool->meta.name, sizeof *result);
        result->pool = (const struct node_pool *)object_acquire((const struct object *)pool);
        result->catalog =
            (const struct instance_type_catalog *)object_acquire((const struct object *)catalog);
        result->made = make(overlaid, pool, catalog);
    }
    return (const struct instance_type_catalog *)object_acquire(
        (const struct object *)result->made);
}
