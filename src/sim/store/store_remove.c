#include "sim/store/store_remove.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/vector.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_meta.h"
#include "sim/store/store_objects.h"
#include "sim/store/store_watch.h"

#define POD_GRACE_DEFAULT_SECONDS 30

struct removal { // the change to the object
    bool at_once;
    bool change;              // set deletionTimestamp or finalizers
    int64_t deletion_time_ns; // if change
    int64_t grace_seconds;
};

static bool check_preconditions(const struct store_resource *resource, const json_t *object,
                                const struct store_delete_options *options, struct failure *failure)
{
    if (options == NULL)
        return true;
    const char *version = string_at(json_object_get(object, "metadata"), "resourceVersion");
    if (options->uid != NULL && strcmp(options->uid, store_uid(object)) != 0)
        return failure_conflict(failure, resource, store_name(object),
                                "Precondition failed: UID in precondition: %s, UID in object meta: "
                                "%s",
                                options->uid, store_uid(object));
    if (options->resource_version != NULL && strcmp(options->resource_version, version) != 0)
        return failure_conflict(failure, resource, store_name(object),
                                "Precondition failed: ResourceVersion in precondition: %s, "
                                "ResourceVersion in object meta: %s",
                                options->resource_version, version);
    return true;
}

// The grace period of a pod that is not being deleted yet (registry/core/pod's
// CheckGracefulDelete).
static int64_t pod_grace_seconds(const json_t *pod, int64_t asked_seconds)
{
    const json_t *spec = json_object_get(pod, "spec");
    const char *node = string_at(spec, "nodeName");
    const char *phase = string_at(json_object_get(pod, "status"), "phase");
    bool finished =
        phase != NULL && (strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0);
    if (node == NULL || node[0] == '\0' || finished)
        return 0;
    if (asked_seconds >= 0)
        return asked_seconds;
    const json_t *own = json_object_get(spec, "terminationGracePeriodSeconds");
    int64_t seconds = json_is_integer(own) ? json_integer_value(own) : POD_GRACE_DEFAULT_SECONDS;
    return seconds < 0 ? 1 : seconds;
}

static int64_t time_at(const json_t *metadata, const char *key)
{
    int64_t time_ns = 0;
    const char *text = string_at(metadata, key);
    return text != NULL && instant_parse(text, &time_ns, NULL) ? time_ns : 0;
}

// A pod that is already being deleted: its grace period can only become shorter.
static struct removal plan_shortening(const json_t *pod, int64_t asked_seconds)
{
    const json_t *metadata = json_object_get(pod, "metadata");
    const json_t *present = json_object_get(metadata, "deletionGracePeriodSeconds");
    int64_t present_seconds = json_integer_value(present);
    struct removal removal = {0};
    if (asked_seconds < 0 || asked_seconds >= present_seconds) {
        removal.at_once = present_seconds == 0;
        return removal;
    }
    removal.change = true;
    removal.grace_seconds = asked_seconds;
    removal.deletion_time_ns = ns_add(time_at(metadata, "deletionTimestamp"),
                                      ns_multiply(asked_seconds - present_seconds, SECOND));
    removal.at_once = asked_seconds == 0;
    return removal;
}

static struct removal plan_removal(struct store *store, const struct store_resource *resource,
                                   const json_t *object, int64_t asked_seconds)
{
    bool deleting = meta_is_deleting(object);
    if (resource == store->pods && deleting)
        return plan_shortening(object, asked_seconds);
    struct removal removal = {.at_once = true};
    if (resource == store->pods)
        removal.grace_seconds = pod_grace_seconds(object, asked_seconds);
    removal.at_once = removal.grace_seconds == 0;
    removal.change = !deleting;
    removal.deletion_time_ns =
        ns_add(loop_now_ns(store->loop), ns_multiply(removal.grace_seconds, SECOND));
    return removal;
}

// Foreground and Orphan leave a finalizer for the owner collector to act on.
static bool add_propagation_finalizer(json_t *metadata, const char *propagation)
{
    const char *wanted = NULL;
    if (propagation != NULL && strcmp(propagation, "Foreground") == 0)
        wanted = "foregroundDeletion";
    else if (propagation != NULL && strcmp(propagation, "Orphan") == 0)
        wanted = "orphan";
    if (wanted == NULL)
        return false;
    json_t *finalizers = json_object_get(metadata, "finalizers");
    size_t i;
    json_t *present;
    json_array_foreach (finalizers, i, present) {
        if (json_is_string(present) && strcmp(json_string_value(present), wanted) == 0)
            return false;
    }
    finalizers = json_is_array(finalizers) ? json_copy(finalizers) : json_array();
    json_array_append_new(finalizers, json_string(wanted));
    json_object_set_new(metadata, "finalizers", finalizers);
    return true;
}

static void set_deletion(const struct removal *removal, const struct store_resource *resource,
                         json_t *metadata)
{
    char text[INSTANT_TEXT_MAX];
    instant_format(removal->deletion_time_ns, text);
    json_object_set_new(metadata, "deletionTimestamp", json_string(text));
    json_object_set_new(metadata, "deletionGracePeriodSeconds",
                        json_integer(removal->grace_seconds));
    if (resource_has_generation(resource)) {
        json_int_t generation = json_integer_value(json_object_get(metadata, "generation"));
        json_object_set_new(metadata, "generation", json_integer(generation + 1));
    }
}

static json_t *store_as_deleting(struct store *store, struct table *table, const char *key,
                                 json_t *object)
{
    meta_set_version(object, ++store->version);
    json_t *previous = index_set(table->objects, key, object);
    table_record(store, table, "MODIFIED", object, previous);
    json_decref(previous);
    return object;
}

static bool namespace_may_go(struct store *store, const struct store_resource *resource,
                             const char *name, struct failure *failure)
{
    static const char *const kept[] = {"default", "kube-system", "kube-public"};
    for (size_t i = 0; resource == store->namespaces && i < ARRAY_LENGTH(kept); i++)
        if (strcmp(name, kept[i]) == 0)
            return failure_forbidden(failure, resource, name, "this namespace may not be deleted");
    return true;
}

static json_t *remove_namespace(struct store *store, const char *name, json_t *object,
                                bool *removed);

json_t *store_write_remove(struct store *store, const struct store_target *target,
                           const struct store_delete_options *delete_options,
                           const struct write_options *options, bool *removed,
                           struct failure *failure)
{
    const struct store_resource *resource = target->resource;
    const char *name = target->name;
    *removed = false;
    json_t *object = store_get(store, resource, target->namespace, name);
    if (object == NULL) {
        failure_not_found(failure, resource, name);
        return NULL;
    }
    if (!namespace_may_go(store, resource, name, failure) ||
        !check_preconditions(resource, object, delete_options, failure))
        return NULL;
    struct removal removal =
        plan_removal(store, resource, object,
                     delete_options != NULL ? delete_options->grace_period_seconds : -1);
    json_t *copy = json_copy(object);
    json_t *metadata = json_copy(json_object_get(object, "metadata"));
    json_object_set_new(copy, "metadata", metadata);
    bool changed = add_propagation_finalizer(
        metadata, delete_options != NULL ? delete_options->propagation : NULL);
    if (removal.change)
        set_deletion(&removal, resource, metadata);
    changed = changed || removal.change;
    bool goes = removal.at_once && meta_finalizers(copy) == 0;
    if (options->dry_run) {
        *removed = goes;
        json_decref(store->last_removed);
        return store->last_removed = copy;
    }
    char key[OBJECT_KEY_MAX];
    object_key(store_namespace(object), name, key);
    struct table *table = store_table(store, resource);
    if (resource == store->namespaces)
        return remove_namespace(store, name, copy, removed);
    if (goes) {
        json_decref(copy);
        *removed = true;
        return store_drop(store, table, key);
    }
    if (changed)
        return store_as_deleting(store, table, key, copy);
    json_decref(copy);
    return object;
}

json_t *store_remove(struct store *store, const struct store_resource *resource,
                     const char *namespace, const char *name,
                     const struct store_delete_options *options, struct error *error)
{
    struct failure failure = {0};
    const struct write_options write = {0};
    bool removed;
    json_t *object = store_write_remove(store, &(struct store_target){resource, namespace, name},
                                        options, &write, &removed, &failure);
    if (object == NULL)
        failure_to_error(&failure, error);
    failure_clear(&failure);
    return object;
}

// --- namespaces ----------------------------------------------------------------------------------

struct name_list {
    VECTOR(char *) names;
};

static bool collect_name(void *context, json_t *object)
{
    struct name_list *list = context;
    vector_push(&list->names, memory_copy_string(store_name(object)));
    return true;
}

static void remove_content(struct store *store, const char *namespace)
{
    for (uint32_t i = 0; i < store->resources_count; i++) {
        const struct store_resource *resource = &store->resources[i];
        if (!resource->namespaced)
            continue;
        struct name_list list = {0};
        store_each(store, resource, namespace, collect_name, &list);
        for (uint32_t j = 0; j < list.names.count; j++) {
            // An object may be gone by the removal of another; its failure is ignored.
            store_remove(store, resource, namespace, list.names.items[j], NULL, NULL);
            free(list.names.items[j]);
        }
        vector_free(&list.names);
    }
}

// The namespace is Terminating until its last object is gone (the namespace controller's work).
static json_t *remove_namespace(struct store *store, const char *name, json_t *object,
                                bool *removed)
{
    struct table *table = store_table(store, store->namespaces);
    json_object_set_new(object, "status", json_pack("{s:s}", "phase", "Terminating"));
    json_t *present = index_get(table->objects, name);
    json_incref(object);
    if (meta_is_deleting(present))
        json_decref(object);
    else
        store_as_deleting(store, table, name, object);
    remove_content(store, name);
    namespace_sweep(store, name);
    json_t *left = index_get(table->objects, name);
    *removed = left == NULL;
    json_decref(store->last_removed);
    store->last_removed = object;
    return left != NULL ? left : object;
}

// Called when an object has left the namespace: removes a terminating namespace with its last
// object.
void namespace_sweep(struct store *store, const char *namespace)
{
    struct table *table = store_table(store, store->namespaces);
    json_t *object = index_get(table->objects, namespace);
    if (object == NULL || !meta_is_deleting(object) || meta_finalizers(object) > 0 ||
        map_get(store->namespace_objects, namespace) != NULL)
        return;
    // The outer removal's state is still the answer to its caller.
    json_t *answer = json_incref(store->last_removed);
    CLEANUP_FREE char *key = memory_copy_string(namespace);
    store_drop(store, table, key);
    if (answer != NULL) {
        json_t *gone = store->last_removed;
        store->last_removed = answer;
        json_decref(gone);
    }
}
