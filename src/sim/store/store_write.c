#include "sim/store/store_write.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/store/managed_fields.h"
#include "sim/store/resources.h"
#include "sim/store/store_admission.h"
#include "sim/store/store_defaults.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_meta.h"
#include "sim/store/store_objects.h"
#include "sim/store/store_remove.h"
#include "sim/store/store_validate.h"
#include "sim/store/store_watch.h"

static void count_in_namespace(struct store *store, const char *namespace, int change)
{
    uintptr_t count = (uintptr_t)map_get(store->namespace_objects, namespace);
    count += change;
    if (count == 0)
        map_remove(store->namespace_objects, namespace);
    else
        map_set(store->namespace_objects, namespace, (void *)count);
}

// Puts the object (whose reference it takes) into the table under a new version and notifies the
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

// Takes the object out of the table. The last state (with the version of the removal) stays
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

// Namespaces must exist and not be terminating.
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

// An API server treats null members as absent. Scalars are shared, since they never change.
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

// A private copy of the client's object, with the kind checked and a metadata object.
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

// The result of a dry run lives until the next removal or dry run.
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
    if (options->manager != NULL)
        managed_fields_update(store, copy, NULL, options->manager);
    if (options->dry_run)
        return keep_dry(store, copy);
    put(store, table, key, copy);
    if (resource == store->namespaces && store->namespace_added != NULL)
        store->namespace_added(store, key);
    return copy;
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
    // Neither a status nor a binding changes the desired state.
    if (draft->subresource == NULL && resource_has_generation(resource) &&
        meta_spec_changed(draft->object, old)) {
        json_t *metadata = json_object_get(draft->object, "metadata");
        json_int_t generation =
            json_integer_value(json_object_get(json_object_get(old, "metadata"), "generation"));
        json_object_set_new(metadata, "generation", json_integer(generation + 1));
    }
    return true;
}

// The last finalizer of a deleted object is gone: the object goes too, unless a grace period is
// still running.
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
    if (options->manager != NULL)
        managed_fields_update(store, draft.object, old, options->manager);
    char key[OBJECT_KEY_MAX];
    object_key(store_namespace(old), target->name, key);
    struct table *table = store_table(store, resource);
    if (!options->dry_run && update_completes_removal(draft.object, old)) {
        // The watches' deleted object is the state without finalizers.
        meta_set_version(draft.object, store->version);
        json_decref(index_set(table->objects, key, draft.object));
        return store_drop(store, table, key);
    }
    return commit_update(store, table, key, draft.object, old, options->dry_run);
}
