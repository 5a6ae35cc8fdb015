#include "sim/store/store_resources.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/store/store_internal.h"

void store_resource_release(struct store_resource *resource)
{
    json_decref((json_t *)resource->definition);
    free((char *)resource->group);
    free((char *)resource->version);
    free((char *)resource->kind);
    free((char *)resource->list_kind);
    free((char *)resource->plural);
    free((char *)resource->singular);
    const char *const *lists[] = {resource->short_names, resource->categories};
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
        for (const char *const *text = lists[i]; text != NULL && *text != NULL; text++)
            free((char *)*text);
        free((void *)lists[i]);
    }
}

static const char *const *copy_list(const char *const *list)
{
    if (list == NULL)
        return NULL;
    size_t count = 0;
    while (list[count] != NULL)
        count++;
    const char **copy = memory_allocate_array(count + 1, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = memory_copy_string(list[i]);
    return copy;
}

static char *path_key(const char *group, const char *version, const char *name)
{
    struct text key = {0};
    text_format(&key, "%s/%s/%s", group, version, name);
    return text_take(&key);
}

static struct store_resource *find(const struct store *store, const struct store_resource *resource)
{
    CLEANUP_FREE char *key = path_key(resource->group, resource->version, resource->plural);
    return map_get(store->resources_by_path, key);
}

// A definition that is changed, or back again: the kind's names stay as they were.
static void redefine(struct store_resource *present, const struct store_resource *resource)
{
    if (present->definition == NULL) // a kind of the program's own tables
        return;
    json_decref((json_t *)present->definition);
    present->definition = json_incref((json_t *)resource->definition);
    present->status_subresource = resource->status_subresource;
    present->scale_subresource = resource->scale_subresource;
    present->withdrawn = false;
}

void store_withdraw(struct store *store, const struct store_resource *resource)
{
    struct store_resource *present = find(store, resource);
    if (present != NULL && present->definition != NULL)
        present->withdrawn = true;
}

void store_register(struct store *store, const struct store_resource *resource)
{
    struct store_resource *present = find(store, resource);
    if (present != NULL) {
        redefine(present, resource);
        return;
    }
    assert(store->resources_count < STORE_RESOURCES_MAX);
    uint32_t position = store->resources_count++;
    struct store_resource *copy = &store->resources[position];
    *copy = *resource;
    copy->definition = json_incref((json_t *)resource->definition);
    copy->group = memory_copy_string(resource->group);
    copy->version = memory_copy_string(resource->version);
    copy->kind = memory_copy_string(resource->kind);
    copy->list_kind = memory_copy_string(resource->list_kind);
    copy->plural = memory_copy_string(resource->plural);
    copy->singular = memory_copy_string(resource->singular);
    copy->short_names = copy_list(resource->short_names);
    copy->categories = copy_list(resource->categories);
    struct table *table = &store->tables[position];
    table->resource = copy;
    table->objects = index_create();
    table->compacted = store->version;
    CLEANUP_FREE char *path = path_key(copy->group, copy->version, copy->plural);
    CLEANUP_FREE char *kind = path_key(copy->group, copy->version, copy->kind);
    map_set(store->resources_by_path, path, copy);
    map_set(store->resources_by_kind, kind, copy);
}

const struct store_resource *store_resource_find(const struct store *store, const char *group,
                                                 const char *version, const char *plural)
{
    CLEANUP_FREE char *key = path_key(group, version, plural);
    const struct store_resource *resource = map_get(store->resources_by_path, key);
    return resource != NULL && !resource->withdrawn ? resource : NULL;
}

const struct store_resource *store_resource_of_kind(const struct store *store,
                                                    const char *api_version, const char *kind)
{
    struct text key = {0};
    text_format(&key, "%s%s/%s", strchr(api_version, '/') == NULL ? "/" : "", api_version, kind);
    const struct store_resource *resource = map_get(store->resources_by_kind, key.data);
    text_free(&key);
    return resource != NULL && !resource->withdrawn ? resource : NULL;
}

const struct store_resource *store_resources(const struct store *store, uint32_t *count)
{
    *count = store->resources_count;
    return store->resources;
}
