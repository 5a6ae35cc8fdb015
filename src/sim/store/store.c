#include "sim/store/store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/store/builtin_types.h"
#include "sim/store/resources.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_watch.h"
#include "sim/store/store_write.h"

static const char *const first_namespaces[] = {"default", "kube-node-lease", "kube-public",
                                               "kube-system"};

// The two priority classes that every API server creates for itself.
static void add_system_priorities(struct store *store)
{
    static const struct {
        const char *name, *description;
        int value;
    } classes[] = {
        {"system-cluster-critical",
         "Used for system critical pods that must run in the cluster, but can be moved to another "
         "node "
         "if necessary.",
         2000000000},
        {"system-node-critical",
         "Used for system critical pods that must not be moved from their current node.",
         2000001000},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(classes); i++) {
        json_t *object =
            json_pack("{s:{s:s}, s:s, s:i}", "metadata", "name", classes[i].name, "description",
                      classes[i].description, "value", classes[i].value);
        json_t *stored = store_add(store, store->priority_classes, NULL, object, NULL);
        assert(stored != NULL);
        json_decref(object);
    }
}

struct store *store_create(struct loop *loop, uint64_t seed)
{
    struct store *store = memory_allocate(sizeof *store);
    store->loop = loop;
    random_seed(&store->random, seed);
    store->resources_by_path = map_create();
    store->resources_by_kind = map_create();
    store->namespace_objects = map_create();
    store->delivery = timer_create_on(loop, store_deliver, store);
    resources_register(store);
    for (size_t i = 0; i < ARRAY_LENGTH(first_namespaces); i++) {
        json_t *object = json_pack("{s:{s:s}}", "metadata", "name", first_namespaces[i]);
        json_t *stored = store_add(store, store->namespaces, NULL, object, NULL);
        assert(stored != NULL);
        json_decref(object);
    }
    add_system_priorities(store);
    return store;
}

static void release_object(void *object)
{
    json_decref(object);
}

// Their owners must have destroyed all watches by now.
void store_destroy(struct store *store)
{
    if (store == NULL)
        return;
    for (uint32_t i = 0; i < store->resources_count; i++) {
        struct table *table = &store->tables[i];
        assert(table->watches == NULL);
        index_destroy(table->objects, release_object);
        table_forget_history(table);
        free(table->changes);
        store_resource_release(&store->resources[i]);
    }
    json_decref(store->types);
    json_decref(store->last_removed);
    timer_destroy(store->delivery);
    map_destroy(store->resources_by_path, NULL);
    map_destroy(store->resources_by_kind, NULL);
    map_destroy(store->namespace_objects, NULL);
    free(store);
}

const json_t *store_types(struct store *store)
{
    if (store->types == NULL)
        store->types = builtin_types_create();
    return store->types;
}

static const struct write_options plain_write = {0};

json_t *store_add(struct store *store, const struct store_resource *resource, const char *namespace,
                  json_t *object, struct error *error)
{
    struct failure failure = {0};
    json_t *stored = store_write_add(store, resource, namespace, object, &plain_write, &failure);
    if (stored == NULL)
        failure_to_error(&failure, error);
    failure_clear(&failure);
    return stored;
}

json_t *store_replace(struct store *store, const struct store_target *target, json_t *object,
                      struct error *error)
{
    struct failure failure = {0};
    json_t *stored = store_write_replace(store, target, object, &plain_write, &failure);
    if (stored == NULL)
        failure_to_error(&failure, error);
    failure_clear(&failure);
    return stored;
}
