#include "control/state/device_drivers.h"

#include <string.h>

#include "base/text.h"
#include "model/schema/devices.h"

const char *resource_slice_node(const struct object *object)
{
    const struct resource_slice *slice = (const struct resource_slice *)object;
    if (!text_is_empty(slice->spec.node_name))
        return slice->spec.node_name;
    list_for_each (owner, &object->meta.owner_references)
        if (strcmp(owner->kind, "Node") == 0)
            return owner->name;
    return NULL;
}

static const struct resource_slice *next_slice(const struct mirror *mirror,
                                               struct mirror_iterator *iterator, const char *driver,
                                               const char *node)
{
    const struct object *object;
    while ((object = mirror_next(mirror, KIND_RESOURCE_SLICE, iterator)) != NULL)
        if (strcmp(((const struct resource_slice *)object)->spec.driver, driver) == 0 &&
            text_equal(resource_slice_node(object), node))
            return (const struct resource_slice *)object;
    return NULL;
}

// True if as many slices of the pool's generation are there as it declares, and none is newer.
static bool is_complete(const struct mirror *mirror, const struct resource_slice *of,
                        const char *node)
{
    int64_t seen = 0;
    struct mirror_iterator iterator = {0};
    for (const struct resource_slice *slice;
         (slice = next_slice(mirror, &iterator, of->spec.driver, node)) != NULL;) {
        if (!text_equal(slice->spec.pool.name, of->spec.pool.name))
            continue;
        if (slice->spec.pool.generation > of->spec.pool.generation)
            return false;
        seen += slice->spec.pool.generation == of->spec.pool.generation;
    }
    return seen > 0 && seen == of->spec.pool.resource_slice_count;
}

static bool has_published(const struct mirror *mirror, const char *driver, const char *node)
{
    struct mirror_iterator iterator = {0};
    for (const struct resource_slice *slice;
         (slice = next_slice(mirror, &iterator, driver, node)) != NULL;)
        if (is_complete(mirror, slice, node))
            return true;
    return false;
}

const char *device_driver_awaited(const struct mirror *mirror, const struct settings *settings,
                                  struct arena *arena, const struct node_claim *claim,
                                  const struct node *node)
{
    const char *at = object_annotation((const struct object *)claim, ANNOTATION_DRA_DRIVERS);
    while (at != NULL && *at != '\0' && !settings->ignore_dra_requests) {
        at += strspn(at, " \t,");
        size_t length = strcspn(at, " \t,");
        const char *driver = arena_copy_bytes(arena, at, length);
        if (length > 0 && !has_published(mirror, driver, node->meta.name))
            return driver;
        at += length;
    }
    return NULL;
}

bool device_drivers_are_there(const struct mirror *mirror, const struct settings *settings,
                              const struct node_claim *claim, const struct node *node)
{
    if (settings->ignore_dra_requests ||
        object_annotation((const struct object *)claim, ANNOTATION_DRA_DRIVERS) == NULL)
        return true;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    return device_driver_awaited(mirror, settings, arena, claim, node) == NULL;
}
