// Reference counts, lookups in lists and maps, and other readings of the common header.
#include "model/schema/object.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct object *object_acquire(const struct object *object)
{
    if (object == NULL)
        return NULL;
    struct object *mutable = (struct object *)object;
    uint32_t before = __atomic_fetch_add(&mutable->references, 1, __ATOMIC_RELAXED);
    assert(before > 0);
    assert(before < UINT32_MAX);
    return mutable;
}

void object_release(const struct object *object)
{
    if (object == NULL)
        return;
    struct object *mutable = (struct object *)object;
    uint32_t before = __atomic_fetch_sub(&mutable->references, 1, __ATOMIC_ACQ_REL);
    assert(before > 0);
    if (before == 1)
        free(mutable);
}

int string_pair_compare(const void *a, const void *b)
{
    return strcmp(((const struct string_pair *)a)->key, ((const struct string_pair *)b)->key);
}

int object_compare_names(const void *a, const void *b)
{
    return strcmp((*(const struct object *const *)a)->meta.name,
                  (*(const struct object *const *)b)->meta.name);
}

void object_namespaced_name(const struct object *object, char out[600])
{
    assert(object->meta.name != NULL);
    snprintf(out, 600, "%s/%s", text_or_empty(object->meta.namespace), object->meta.name);
}

void object_describe(const struct object *object, char out[600])
{
    assert(object->kind != NULL);
    const char *name = object->meta.name != NULL            ? object->meta.name
                       : object->meta.generate_name != NULL ? object->meta.generate_name
                                                            : "";
    if (object->meta.namespace != NULL && object->meta.namespace[0] != '\0')
        snprintf(out, 600, "%s/%.253s/%.253s", object->kind->name, object->meta.namespace, name);
    else
        snprintf(out, 600, "%s/%.253s", object->kind->name, name);
}

const char *object_label(const struct object *object, const char *key)
{
    assert(key != NULL);
    return string_map_get(&object->meta.labels, key);
}

const char *object_annotation(const struct object *object, const char *key)
{
    assert(key != NULL);
    return string_map_get(&object->meta.annotations, key);
}

bool object_is_deleting(const struct object *object)
{
    return object->meta.deletion_timestamp != 0;
}

bool object_has_finalizer(const struct object *object, const char *finalizer)
{
    return string_list_has(&object->meta.finalizers, finalizer);
}

const struct owner_reference *object_owner(const struct object *object, const char *api_version,
                                           const char *kind)
{
    list_for_each (owner, &object->meta.owner_references)
        if (text_equal(owner->kind, kind) && text_equal(owner->api_version, api_version))
            return owner;
    return NULL;
}

const struct owner_reference *object_controller_owner(const struct object *object)
{
    list_for_each (owner, &object->meta.owner_references)
        if (owner->controller)
            return owner;
    return NULL;
}

// Both maps are sorted, but usually short: a scan costs no more than a binary search.
const char *string_map_get(const struct string_map *map, const char *key)
{
    uint32_t low = 0, high = map->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(map->items[middle].key, key);
        if (order == 0)
            return map->items[middle].value;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static const struct resource_quantity *find_quantity(const struct resource_map *map,
                                                     const char *name)
{
    uint32_t low = 0, high = map->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(map->items[middle].name, name);
        if (order == 0)
            return &map->items[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int64_t resource_map_get(const struct resource_map *map, const char *name)
{
    const struct resource_quantity *quantity = find_quantity(map, name);
    return quantity == NULL ? 0 : quantity->value;
}

bool resource_map_has(const struct resource_map *map, const char *name)
{
    return find_quantity(map, name) != NULL;
}

bool string_list_has(const struct string_list *list, const char *text)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], text) == 0)
            return true;
    return false;
}
