#include "engine/devices/device_templates.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/devices/device_pools.h"
#include "engine/devices/device_set.h"
#include "engine/devices/extended_resources.h"
#include "model/devices/built_in_devices.h"
#include "model/devices/device_template.h"
#include "model/reading/catalog.h"

static int compare_names(const void *a, const void *b)
{
    const struct resource_slice *x = *(const struct resource_slice *const *)a;
    const struct resource_slice *y = *(const struct resource_slice *const *)b;
    int order = strcmp(x->spec.driver, y->spec.driver);
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

// The user's templates for the type.
static bool add_slices(struct problem *problem, struct device_set *set, const char *type)
{
    const struct snapshot *snapshot = problem->snapshot;
    uint32_t count = 0;
    const struct resource_slice **slices = memory_allocate_array(
        (size_t)snapshot->objects[KIND_RESOURCE_SLICE].count + 1, sizeof *slices);
    for (uint32_t i = 0; i < snapshot->objects[KIND_RESOURCE_SLICE].count; i++) {
        const struct resource_slice *slice =
            (const struct resource_slice *)snapshot->objects[KIND_RESOURCE_SLICE].items[i];
        const char *types =
            object_annotation((const struct object *)slice, ANNOTATION_INSTANCE_TYPES);
        if (slice->spec.pool.name != NULL && device_template_is_of(types, type))
            slices[count++] = slice;
    }
    qsort(slices, count, sizeof *slices, compare_names);
    for (uint32_t i = 0; i < count; i++) {
        struct error error = {0};
        if (device_set_add_slice(problem, set, slices[i], &error))
            continue;
        set->flaw =
            arena_format(problem->arena, "template %s: %s", slices[i]->meta.name, error.message);
        problem_log(problem, NOTE_ERROR, (const struct object *)slices[i], error.message);
    }
    free(slices);
    return count > 0;
}

static void add_built_in(struct problem *problem, struct device_set *set,
                         const struct instance_type *type)
{
    device_facts_list list = built_in_devices(problem->arena, type);
    list_for_each (facts, &list) {
        struct known_device *device = device_set_add(problem, set);
        device->facts = *facts;
        device->pool = type->name;
        set->assumed = true;
    }
}

struct device_set *device_template_of(struct problem *problem, const struct instance_type *type)
{
    static struct device_set none;
    struct problem_devices *devices = problem->devices;
    struct device_set *set = map_get(devices->type_sets, type->name);
    if (set != NULL)
        return set != &none ? set : NULL;
    set = device_set_create(problem);
    set->in_template = true;
    if (!add_slices(problem, set, type->name))
        add_built_in(problem, set, type);
    extended_resources_add(problem, set, &type->capacity, true);
    device_set_finish(set);
    for (uint32_t i = 0; i < set->count; i++)
        set->items[i].usable = set->flaw == NULL;
    map_set(devices->type_sets, type->name, set->count > 0 ? set : &none);
    assert(set->id < devices->sets.count);
    return set->count > 0 ? set : NULL;
}

struct device_set *device_template_named(struct problem *problem, const char *type)
{
    const struct snapshot *snapshot = problem->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type *found = instance_type_catalog_find(
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i],
            type);
        if (found != NULL)
            return device_template_of(problem, found);
    }
    return NULL;
}
