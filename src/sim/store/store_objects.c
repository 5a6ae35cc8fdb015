#include "sim/store/store_objects.h"

#include <assert.h>
#include <string.h>

#include "base/duration.h"
#include "sim/store/store_internal.h"

struct table *store_table(struct store *store, const struct store_resource *resource)
{
    assert(resource >= store->resources && resource < store->resources + store->resources_count);
    return &store->tables[resource - store->resources];
}

// False if the names are too long for any object.
bool object_key(const char *namespace, const char *name, char out[OBJECT_KEY_MAX])
{
    bool namespaced = namespace != NULL && namespace[0] != '\0';
    size_t prefix = namespaced ? strlen(namespace) + 1 : 0;
    size_t length = strlen(name);
    if (prefix + length + 1 > OBJECT_KEY_MAX)
        return false;
    if (namespaced) {
        memcpy(out, namespace, prefix - 1);
        out[prefix - 1] = '/';
    }
    memcpy(out + prefix, name, length + 1);
    return true;
}

json_t *store_get(struct store *store, const struct store_resource *resource, const char *namespace,
                  const char *name)
{
    char key[OBJECT_KEY_MAX];
    if (!object_key(resource->namespaced ? namespace : NULL, name, key))
        return NULL;
    return index_get(store_table(store, resource)->objects, key);
}

void store_each(struct store *store, const struct store_resource *resource, const char *namespace,
                bool (*visit)(void *context, json_t *object), void *context)
{
    store_each_from(store, resource, namespace, NULL, visit, context);
}

void store_each_from(struct store *store, const struct store_resource *resource,
                     const char *namespace, const char *key,
                     bool (*visit)(void *context, json_t *object), void *context)
{
    char prefix[OBJECT_KEY_MAX] = "";
    bool bounded = resource->namespaced && namespace != NULL && namespace[0] != '\0';
    if (bounded && !object_key(namespace, "", prefix))
        return;
    size_t prefix_length = strlen(prefix);
    struct table *table = store_table(store, resource);
    const char *start = key != NULL && strcmp(key, prefix) > 0 ? key : prefix;
    for (struct index_node *node = index_seek(table->objects, start); node != NULL;
         node = index_next(node)) {
        if (strncmp(node->key, prefix, prefix_length) != 0)
            return;
        if (!visit(context, node->value))
            return;
    }
}

uint32_t store_count(struct store *store, const struct store_resource *resource)
{
    return index_count(store_table(store, resource)->objects);
}

uint64_t store_version(const struct store *store)
{
    return store->version;
}

const char *now_text(struct store *store, char out[40])
{
    instant_format(loop_now_ns(store->loop), out);
    return out;
}
