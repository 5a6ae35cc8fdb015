#include "sim/apiserver/api_apply.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/apiserver/api_internal.h"
#include "sim/store/patch.h"
#include "sim/store/patch_strategic.h"
#include "sim/store/store_internal.h"

// --- FieldsV1: a tree of "f:name", "k:{...}" and "v:..." -----------------------------------------

static char *element_key(const char *merge_key, const json_t *element)
{
    struct text text = {0};
    if (merge_key[0] == '\0') {
        char *value = json_dumps(element, JSON_ENCODE_ANY | JSON_COMPACT);
        text_format(&text, "v:%s", value);
        free(value);
    } else {
        json_t *identity = json_object();
        json_object_set(identity, merge_key, json_object_get(element, merge_key));
        char *value = json_dumps(identity, JSON_COMPACT);
        text_format(&text, "k:%s", value);
        free(value);
        json_decref(identity);
    }
    return text_take(&text);
}

static json_t *fields_of(const char *parent, const json_t *object);

static json_t *fields_of_list(const char *field, const char *merge_key, const json_t *list)
{
    json_t *fields = json_object();
    size_t i;
    json_t *element;
    json_array_foreach (list, i, element) {
        CLEANUP_FREE char *key = element_key(merge_key, element);
        json_t *inner = fields_of(field, element);
        if (merge_key[0] != '\0')
            json_object_set_new(inner, ".", json_object());
        json_object_set_new(fields, key, inner);
    }
    return fields;
}

static json_t *fields_of(const char *parent, const json_t *object)
{
    json_t *fields = json_object();
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)object, name, value) {
        struct text key = {0};
        text_format(&key, "f:%s", name);
        const char *merge_key = patch_list_key(parent, name);
        json_t *inner;
        if (json_is_array(value) && merge_key != NULL)
            inner = fields_of_list(name, merge_key, value);
        else
            inner = json_is_object(value) ? fields_of(name, value) : json_object();
        json_object_set_new(fields, key.data, inner);
        text_free(&key);
    }
    return fields;
}

static json_t *applied_fields(const json_t *body)
{
    json_t *copy = json_copy((json_t *)body);
    static const char *const identity[] = {"apiVersion", "kind"};
    for (size_t i = 0; i < ARRAY_LENGTH(identity); i++)
        json_object_del(copy, identity[i]);
    json_t *metadata = json_copy(json_object_get(copy, "metadata"));
    static const char *const server[] = {
        "name",          "namespace",         "uid",       "resourceVersion",
        "managedFields", "creationTimestamp", "generation"};
    for (size_t i = 0; i < ARRAY_LENGTH(server); i++)
        json_object_del(metadata, server[i]);
    json_object_set_new(copy, "metadata", metadata);
    json_t *fields = fields_of(NULL, copy);
    json_decref(copy);
    return fields;
}

// --- removing fields no longer applied -----------------------------------------------------------

static void prune(const char *parent, json_t *object, const json_t *before, const json_t *now);

static void prune_list(const char *field, const char *merge_key, json_t *list, const json_t *before,
                       const json_t *now)
{
    for (size_t i = json_array_size(list); i-- > 0;) {
        json_t *element = json_array_get(list, i);
        CLEANUP_FREE char *key = element_key(merge_key, element);
        const json_t *owned = json_object_get(before, key), *kept = json_object_get(now, key);
        if (owned == NULL)
            continue;
        if (kept == NULL)
            json_array_remove(list, i);
        else if (json_is_object(element))
            prune(field, element, owned, kept);
    }
}

// `object` is a private copy. Removes a field that the manager no longer applies, unless other
// managers own parts of it.
static void prune(const char *parent, json_t *object, const json_t *before, const json_t *now)
{
    const char *key;
    json_t *owned;
    json_object_foreach ((json_t *)before, key, owned) {
        if (strncmp(key, "f:", 2) != 0)
            continue;
        const char *name = key + 2;
        json_t *value = json_object_get(object, name);
        const json_t *kept = json_object_get(now, key);
        const char *merge_key = patch_list_key(parent, name);
        if (value == NULL)
            continue;
        if (json_is_array(value) && merge_key != NULL && json_object_size(owned) > 0) {
            prune_list(name, merge_key, value, owned, kept);
        } else if (json_is_object(value) && json_object_size(owned) > 0) {
            prune(name, value, owned, kept);
        } else if (kept == NULL) {
            json_object_del(object, name);
            continue;
        }
        bool empty = (json_is_object(value) && json_object_size(value) == 0) ||
                     (json_is_array(value) && json_array_size(value) == 0);
        if (kept == NULL && empty)
            json_object_del(object, name);
    }
}

// --- the managers --------------------------------------------------------------------------------

static json_t *entry_of(const json_t *managers, const char *manager, const char *subresource)
{
    size_t i;
    json_t *entry;
    json_array_foreach (managers, i, entry) {
        const char *name = string_at(entry, "manager"), *operation = string_at(entry, "operation");
        const char *part = string_at(entry, "subresource");
        if (name != NULL && operation != NULL && strcmp(name, manager) == 0 &&
            strcmp(operation, "Apply") == 0 && text_equal(part, subresource))
            return entry;
    }
    return NULL;
}

static void remember(struct api_call *call, json_t *object, const char *manager, json_t *fields)
{
    json_t *metadata = json_object_get(object, "metadata");
    json_t *managers = json_object_get(metadata, "managedFields");
    json_t *entry = entry_of(managers, manager, call->path.subresource);
    if (entry != NULL && json_equal(json_object_get(entry, "fieldsV1"), fields)) {
        json_decref(fields);
        return;
    }
    if (!json_is_array(managers)) {
        managers = json_array();
        json_object_set_new(metadata, "managedFields", managers);
    }
    if (entry == NULL) {
        entry = json_pack("{s:s, s:s, s:O, s:s}", "manager", manager, "operation", "Apply",
                          "apiVersion", json_object_get(object, "apiVersion"), "fieldsType",
                          "FieldsV1");
        if (call->path.subresource != NULL)
            json_object_set_new(entry, "subresource", json_string(call->path.subresource));
        json_array_append_new(managers, entry);
    }
    char now[40];
    json_object_set_new(entry, "time", json_string(now_text(call->store, now)));
    json_object_set_new(entry, "fieldsV1", fields);
}

static bool create_applied(struct api_call *call, const char *manager)
{
    json_t *object = json_deep_copy(call->request->body);
    json_t *metadata = child_object(object, "metadata");
    default_set(metadata, "name", json_string(call->path.name));
    default_set(object, "apiVersion", json_string("v1"));
    remember(call, object, manager, applied_fields(call->request->body));
    json_t *stored = store_write_add(call->store, call->resource, call->path.namespace, object,
                                     &call->write, &call->failure);
    json_decref(object);
    return stored != NULL && answer_object(call, 201, stored);
}

bool call_apply(struct api_call *call)
{
    const char *manager = call_query(call, "fieldManager");
    if (manager == NULL)
        return failure_bad_request(
            &call->failure, "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required "
                            "value: is required for apply patch");
    if (!json_is_object(call->request->body))
        return failure_bad_request(&call->failure, "the applied configuration is not an object");
    json_t *old = store_get(call->store, call->resource, call->path.namespace, call->path.name);
    if (old == NULL)
        return call->path.subresource == NULL
                   ? create_applied(call, manager)
                   : failure_not_found(&call->failure, call->view, call->path.name);
    json_t *pruned = json_deep_copy(old);
    json_t *fields = applied_fields(call->request->body);
    json_t *entry =
        entry_of(store_path(old, "metadata.managedFields"), manager, call->path.subresource);
    prune(NULL, pruned, json_object_get(entry, "fieldsV1"), fields);
    json_t *merged = patch_strategic(pruned, call->request->body, &call->failure);
    json_decref(pruned);
    json_t *stored = NULL;
    if (merged != NULL) {
        json_t *whole = json_deep_copy(merged);
        json_decref(merged);
        remember(call, whole, manager, json_incref(fields));
        stored =
            store_write_replace(call->store,
                                &(struct store_target){call->resource, call->path.namespace,
                                                       call->path.name, call->path.subresource},
                                whole, &call->write, &call->failure);
        json_decref(whole);
    }
    json_decref(fields);
    return stored != NULL && answer_object(call, 200, stored);
}
