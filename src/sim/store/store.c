#include "sim/store/store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/store/resources.h"
#include "sim/store/store_admission.h"
#include "sim/store/store_defaults.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_meta.h"
#include "sim/store/store_remove.h"
#include "sim/store/store_validate.h"
#include "sim/store/store_watch.h"
#include "sim/store/store_write.h"

static const char *const first_namespaces[] = {"default", "kube-node-lease", "kube-public",
                                               "kube-system"};

// The two classes that every API server makes for itself.
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

// Watches belong to those who made them and must be gone by now.
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
    json_decref(store->last_removed);
    timer_destroy(store->delivery);
    map_destroy(store->resources_by_path, NULL);
    map_destroy(store->resources_by_kind, NULL);
    map_destroy(store->namespace_objects, NULL);
    free(store);
}

struct table *store_table(struct store *store, const struct store_resource *resource)
{
    assert(resource >= store->resources && resource < store->resources + store->resources_count);
    return &store->tables[resource - store->resources];
}

// False if the names are too long to be those of any object.
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

// --- reading -------------------------------------------------------------------------------------

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

// --- writing -------------------------------------------------------------------------------------

static const struct write_options plain_write = {0};

static void count_in_namespace(struct store *store, const char *namespace, int change)
{
    uintptr_t count = (uintptr_t)map_get(store->namespace_objects, namespace);
    count += change;
    if (count == 0)
        map_remove(store->namespace_objects, namespace);
    else
        map_set(store->namespace_objects, namespace, (void *)count);
}

// Puts the object (whose reference it takes) into the table under a new version and tells the
// watches.
static json_t *put(struct store *store, struct table *table, const char *key, json_t *object)
{
    meta_set_version(object, ++store->version);
    json_t *previous = index_set(table->objects, key, object);
    if (previous == NULL && table->resource->namespaced)
        count_in_namespace(store, store_namespace(object), 1);
    table_record(store, table, previous == NULL ? "ADDED" : "MODIFIED", object, previous);
    json_decref(previous);
    return object;
}

// Takes the object out of the table; the last state (with the version of the removal) stays
// borrowed until the next removal.
json_t *store_drop(struct store *store, struct table *table, const char *key)
{
    json_t *previous = index_remove(table->objects, key);
    assert(previous != NULL);
    json_t *last = json_copy(previous);
    json_t *metadata = json_copy(json_object_get(last, "metadata"));
    json_object_set_new(last, "metadata", metadata);
    meta_set_version(last, ++store->version);
    table_record(store, table, "DELETED", last, previous);
    json_decref(store->last_removed);
    store->last_removed = last;
    if (table->resource->namespaced) {
        count_in_namespace(store, store_namespace(last), -1);
        namespace_sweep(store, store_namespace(last));
    }
    json_decref(previous);
    return last;
}

// Namespaces must exist and not be on their way out.
static bool namespace_accepts(struct store *store, const struct store_resource *resource,
                              const char *namespace, const char *name, struct failure *failure)
{
    if (!resource->namespaced)
        return true;
    json_t *object = store_get(store, store->namespaces, NULL, namespace);
    if (object == NULL)
        return failure_not_found(failure, store->namespaces, namespace);
    if (meta_is_deleting(object))
        return failure_forbidden(
            failure, resource, name,
            "unable to create new content in namespace %s because it is being terminated",
            namespace);
    return true;
}

static bool kind_is_right(const struct store_resource *resource, json_t *object,
                          struct failure *failure)
{
    struct text version = {0};
    text_format(&version, "%s%s%s", resource->group, resource->group[0] != '\0' ? "/" : "",
                resource->version);
    const char *given_version = string_at(object, "apiVersion");
    const char *given_kind = string_at(object, "kind");
    bool right = (given_version == NULL || strcmp(given_version, version.data) == 0) &&
                 (given_kind == NULL || strcmp(given_kind, resource->kind) == 0);
    if (!right) {
        failure_bad_request(failure,
                            "the object provided is %s/%s, but the request is for %s, Kind=%s",
                            given_version != NULL ? given_version : "",
                            given_kind != NULL ? given_kind : "", version.data, resource->kind);
    } else {
        default_set(object, "apiVersion", json_string(version.data));
        default_set(object, "kind", json_string(resource->kind));
    }
    text_free(&version);
    return right;
}

// Members that are null are absent to an API server. Scalars are shared: nobody changes them.
static json_t *copy_without_nulls(const json_t *value)
{
    if (json_is_array(value)) {
        json_t *copy = json_array();
        size_t i;
        json_t *item;
        json_array_foreach (value, i, item) {
            json_array_append_new(copy, copy_without_nulls(item));
        }
        return copy;
    }
    if (!json_is_object(value))
        return json_incref((json_t *)value);
    json_t *copy = json_object();
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        if (!json_is_null(member))
            json_object_set_new_nocheck(copy, key, copy_without_nulls(member));
    }
    return copy;
}

// A private copy of what a client sent, with the kind checked and a metadata object.
static json_t *private_copy(const struct store_resource *resource, json_t *object,
                            struct failure *failure)
{
    if (!json_is_object(object)) {
        failure_bad_request(failure, "the body of the request is not a JSON object");
        return NULL;
    }
    json_t *copy = copy_without_nulls(object);
    if (kind_is_right(resource, copy, failure)) {
        child_object(copy, "metadata");
        return copy;
    }
    json_decref(copy);
    return NULL;
}

static bool prepare_new(struct store *store, const struct store_resource *resource,
                        const char *namespace, struct store_draft *draft, struct failure *failure)
{
    json_t *object = draft->object;
    if (!meta_prepare_new(store, resource, namespace, object, failure))
        return false;
    if (!namespace_accepts(store, resource, store_namespace(object), store_name(object), failure))
        return false;
    meta_reset_status_of_new(resource, object);
    defaults_apply(store, resource, object, true);
    return admission_apply(store, resource, store_namespace(object), object, failure) &&
           validation_apply(store, resource, draft, failure);
}

// The answer of a dry run lives until the next removal or dry run.
static json_t *keep_dry(struct store *store, json_t *object)
{
    json_decref(store->last_removed);
    store->last_removed = object;
    return object;
}

json_t *store_write_add(struct store *store, const struct store_resource *resource,
                        const char *namespace, json_t *object, const struct write_options *options,
                        struct failure *failure)
{
    struct store_draft draft = {private_copy(resource, object, failure), .options = options};
    if (draft.object == NULL)
        return NULL;
    bool good = prepare_new(store, resource, namespace, &draft, failure);
    json_t *copy = draft.object;
    if (!good) {
        json_decref(copy);
        return NULL;
    }
    char key[OBJECT_KEY_MAX];
    bool fits = object_key(store_namespace(copy), store_name(copy), key);
    assert(fits);
    struct table *table = store_table(store, resource);
    if (index_get(table->objects, key) != NULL) {
        failure_already_exists(failure, resource, store_name(copy));
        json_decref(copy);
        return NULL;
    }
    if (options->dry_run)
        return keep_dry(store, copy);
    return put(store, table, key, copy);
}

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

static bool prepare_update(struct store *store, const struct store_resource *resource,
                           struct store_draft *draft, struct failure *failure)
{
    const json_t *old = draft->old;
    meta_split_status(resource, draft->object, old, draft->subresource);
    if (!meta_prepare_update(store, resource, draft->object, old, draft->subresource, failure))
        return false;
    defaults_apply(store, resource, draft->object, false);
    if (!validation_apply(store, resource, draft, failure))
        return false;
    // Neither a status nor a binding is a change of what is wanted.
    if (draft->subresource == NULL && resource_has_generation(resource) &&
        meta_spec_changed(draft->object, old)) {
        json_t *metadata = json_object_get(draft->object, "metadata");
        json_int_t generation =
            json_integer_value(json_object_get(json_object_get(old, "metadata"), "generation"));
        json_object_set_new(metadata, "generation", json_integer(generation + 1));
    }
    return true;
}

// The last finalizer of a deleted object is gone: so is the object, unless a grace period still
// runs.
static bool update_completes_removal(const json_t *object, const json_t *old)
{
    const json_t *grace =
        json_object_get(json_object_get(object, "metadata"), "deletionGracePeriodSeconds");
    return meta_is_deleting(object) && meta_finalizers(object) == 0 && meta_finalizers(old) > 0 &&
           json_integer_value(grace) == 0;
}

static json_t *commit_update(struct store *store, struct table *table, const char *key,
                             json_t *object, json_t *old, bool dry_run)
{
    if (json_equal(object, old)) { // no-op writes leave no trace
        json_decref(object);
        return old;
    }
    if (dry_run)
        return keep_dry(store, object);
    put(store, table, key, object);
    return object;
}

json_t *store_write_replace(struct store *store, const struct store_target *target, json_t *object,
                            const struct write_options *options, struct failure *failure)
{
    const struct store_resource *resource = target->resource;
    json_t *old = store_get(store, resource, target->namespace, target->name);
    if (old == NULL) {
        failure_not_found(failure, resource, target->name);
        return NULL;
    }
    struct store_draft draft = {private_copy(resource, object, failure), old, target->subresource,
                                options};
    if (draft.object == NULL)
        return NULL;
    if (!prepare_update(store, resource, &draft, failure)) {
        json_decref(draft.object);
        return NULL;
    }
    char key[OBJECT_KEY_MAX];
    object_key(store_namespace(old), target->name, key);
    struct table *table = store_table(store, resource);
    if (!options->dry_run && update_completes_removal(draft.object, old)) {
        // The state without finalizers is what watches see as deleted.
        meta_set_version(draft.object, store->version);
        json_decref(index_set(table->objects, key, draft.object));
        return store_drop(store, table, key);
    }
    return commit_update(store, table, key, draft.object, old, options->dry_run);
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

// --- helpers -------------------------------------------------------------------------------------

const char *now_text(struct store *store, char out[40])
{
    instant_format(loop_now_ns(store->loop), out);
    return out;
}
