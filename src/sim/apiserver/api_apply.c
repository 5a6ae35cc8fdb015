#include "sim/apiserver/api_apply.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/apiserver/api_internal.h"
#include "sim/store/field_set.h"
#include "sim/store/managed_fields.h"
#include "sim/store/patch.h"
#include "sim/store/patch_strategic.h"
#include "sim/store/store_internal.h"

// --- removing fields -----------------------------------------------------------------------------

static void prune(const char *parent, json_t *object, const json_t *fields);

static void prune_list(const char *field, const char *merge_key, json_t *list, const json_t *fields)
{
    for (size_t i = json_array_size(list); i-- > 0;) {
        json_t *element = json_array_get(list, i);
        CLEANUP_FREE char *key = field_set_element_key(merge_key, element);
        const json_t *inner = json_object_get(fields, key);
        if (inner == NULL)
            continue;
        if (json_object_size(inner) == 0 || json_object_get(inner, ".") != NULL)
            json_array_remove(list, i);
        else if (json_is_object(element))
            prune(field, element, inner);
    }
}

// `object` is a private copy. Removes the fields, and what is empty without them.
static void prune(const char *parent, json_t *object, const json_t *fields)
{
    const char *key;
    json_t *inner;
    json_object_foreach ((json_t *)fields, key, inner) {
        if (strncmp(key, "f:", 2) != 0)
            continue;
        const char *name = key + 2;
        json_t *value = json_object_get(object, name);
        const char *merge_key = patch_list_key(parent, name);
        if (value == NULL)
            continue;
        if (json_is_array(value) && merge_key != NULL && json_object_size(inner) > 0)
            prune_list(name, merge_key, value, inner);
        else if (json_is_object(value) && json_object_size(inner) > 0)
            prune(name, value, inner);
        else {
            json_object_del(object, name);
            continue;
        }
        if ((json_is_object(value) && json_object_size(value) == 0) ||
            (json_is_array(value) && json_array_size(value) == 0))
            json_object_del(object, name);
    }
}

// The object without the fields that the manager has applied before and applies no more, unless
// others own them, too.
static json_t *without_given_up(const json_t *old, const struct field_manager *manager,
                                const json_t *applied)
{
    json_t *copy = json_deep_copy(old);
    const json_t *before = managed_fields_of(old, manager);
    if (before == NULL)
        return copy;
    json_t *others = managed_fields_of_others(old, manager);
    json_t *kept = field_set_union(applied, others);
    json_t *given_up = field_set_subtract(before, kept);
    prune(NULL, copy, given_up);
    json_decref(given_up);
    json_decref(kept);
    json_decref(others);
    return copy;
}

// --- apply ---------------------------------------------------------------------------------------

static bool create_applied(struct api_call *call, const struct field_manager *manager,
                           const json_t *applied)
{
    json_t *object = json_deep_copy(call->request->body);
    json_t *metadata = child_object(object, "metadata");
    default_set(metadata, "name", json_string(call->path.name));
    default_set(object, "apiVersion", json_string("v1"));
    managed_fields_apply(call->store, object, NULL, manager, applied);
    json_t *stored = store_write_add(call->store, call->resource, call->path.namespace, object,
                                     &call->write, &call->failure);
    json_decref(object);
    return stored != NULL && answer_object(call, 201, stored);
}

// The merged object, private; NULL with failure set.
static json_t *merge_applied(struct api_call *call, json_t *old,
                             const struct field_manager *manager, const json_t *applied)
{
    json_t *base = without_given_up(old, manager, applied);
    json_t *body = json_copy(call->request->body);
    json_t *metadata = json_copy(json_object_get(body, "metadata"));
    json_object_del(metadata, "managedFields");
    json_object_set_new(body, "metadata", metadata != NULL ? metadata : json_object());
    json_t *merged = patch_strategic(base, body, &call->failure);
    json_decref(base);
    json_decref(body);
    if (merged == NULL)
        return NULL;
    if (!call_query_is_true(call, "force") &&
        !managed_fields_conflict(old, merged, manager, &call->failure)) {
        json_decref(merged);
        return NULL;
    }
    json_t *whole = json_deep_copy(merged);
    json_decref(merged);
    managed_fields_apply(call->store, whole, old, manager, applied);
    return whole;
}

static bool apply_to(struct api_call *call, json_t *old, const struct field_manager *manager,
                     const json_t *applied)
{
    json_t *whole = merge_applied(call, old, manager, applied);
    if (whole == NULL)
        return false;
    json_t *stored =
        store_write_replace(call->store,
                            &(struct store_target){call->resource, call->path.namespace,
                                                   call->path.name, call->path.subresource},
                            whole, &call->write, &call->failure);
    json_decref(whole);
    return stored != NULL && answer_object(call, 200, stored);
}

bool call_apply(struct api_call *call)
{
    const char *name = call_query(call, "fieldManager");
    if (name == NULL)
        return failure_bad_request(
            &call->failure, "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required "
                            "value: is required for apply patch");
    if (!json_is_object(call->request->body))
        return failure_bad_request(&call->failure, "the applied configuration is not an object");
    const struct field_manager manager = {name, call->path.subresource, true};
    json_t *old = store_get(call->store, call->resource, call->path.namespace, call->path.name);
    if (old == NULL && call->path.subresource != NULL)
        return failure_not_found(&call->failure, call->view, call->path.name);
    call->write.manager = NULL; // the entries are written here
    json_t *applied = field_set_of(call->request->body);
    bool done = old == NULL ? create_applied(call, &manager, applied)
                            : apply_to(call, old, &manager, applied);
    json_decref(applied);
    return done;
}
