#include "sim/store/field_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/patch_strategic.h"
#include "sim/store/store_json.h"

// --- trees of objects ----------------------------------------------------------------------------

// Objects that one manager owns as a whole.
static bool is_atomic(const char *field)
{
    static const char *const names[] = {"selector",     "labelSelector",   "namespaceSelector",
                                        "nodeSelector", "podSelector",     "fieldRef",
                                        "secretKeyRef", "configMapKeyRef", "resourceFieldRef",
                                        "roleRef",      "scaleTargetRef"};
    for (size_t i = 0; field != NULL && i < ARRAY_LENGTH(names); i++)
        if (strcmp(field, names[i]) == 0)
            return true;
    return false;
}

char *field_set_element_key(const char *merge_key, const json_t *element)
{
    struct text text = {0};
    if (merge_key[0] == '\0') {
        CLEANUP_FREE char *value = json_dumps(element, JSON_ENCODE_ANY | JSON_COMPACT);
        text_format(&text, "v:%s", value);
        return text_take(&text);
    }
    json_t *identity = json_object();
    json_object_set(identity, merge_key, json_object_get(element, merge_key));
    bool port = strcmp(merge_key, "containerPort") == 0 || strcmp(merge_key, "port") == 0;
    const char *protocol = string_at(element, "protocol");
    if (port)
        json_object_set_new(identity, "protocol", json_string(protocol ? protocol : "TCP"));
    CLEANUP_FREE char *value = json_dumps(identity, JSON_COMPACT);
    text_format(&text, "k:%s", value);
    json_decref(identity);
    return text_take(&text);
}

static const json_t *element_of(const json_t *list, const char *merge_key, const char *key)
{
    size_t i;
    json_t *element;
    json_array_foreach (list, i, element) {
        CLEANUP_FREE char *own = field_set_element_key(merge_key, element);
        if (strcmp(own, key) == 0)
            return element;
    }
    return NULL;
}

static json_t *object_fields(const char *parent, const json_t *object, const json_t *other);

// Elements of `list` that are not, or otherwise, in `other` (which may be NULL).
static json_t *list_fields(const char *field, const char *merge_key, const json_t *list,
                           const json_t *other)
{
    json_t *fields = json_object();
    size_t i;
    json_t *element;
    json_array_foreach (list, i, element) {
        CLEANUP_FREE char *key = field_set_element_key(merge_key, element);
        const json_t *before = element_of(other, merge_key, key);
        if (before != NULL && json_equal(before, element))
            continue;
        json_t *inner =
            json_is_object(element) ? object_fields(field, element, before) : json_object();
        if (before == NULL && merge_key[0] != '\0')
            json_object_set_new(inner, ".", json_object());
        json_object_set_new(fields, key, inner);
    }
    return fields;
}

static json_t *object_fields(const char *parent, const json_t *object, const json_t *other)
{
    json_t *fields = json_object();
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)object, name, value) {
        const json_t *before = json_object_get(other, name);
        if (before != NULL && json_equal(before, value))
            continue;
        const char *merge_key = patch_list_key(parent, name);
        json_t *inner = NULL;
        if (json_is_array(value) && merge_key != NULL)
            inner = list_fields(name, merge_key, value, before);
        else if (json_is_object(value) && !is_atomic(name))
            inner = object_fields(name, value, before);
        struct text key = {0};
        text_format(&key, "f:%s", name);
        // A container in which nothing is added or changed: only something removed.
        bool same = before != NULL && inner != NULL && json_object_size(inner) == 0;
        if (same && json_object_size(before) + json_array_size(before) > 0)
            json_decref(inner);
        else
            json_object_set_new(fields, key.data, inner != NULL ? inner : json_object());
        text_free(&key);
    }
    return fields;
}

static json_t *without_identity(const json_t *object)
{
    json_t *copy = json_copy((json_t *)object);
    static const char *const identity[] = {"apiVersion", "kind"};
    for (size_t i = 0; i < ARRAY_LENGTH(identity); i++)
        json_object_del(copy, identity[i]);
    json_t *metadata = json_copy(json_object_get(copy, "metadata"));
    static const char *const server[] = {"name",
                                         "namespace",
                                         "uid",
                                         "resourceVersion",
                                         "managedFields",
                                         "creationTimestamp",
                                         "generation",
                                         "deletionTimestamp",
                                         "deletionGracePeriodSeconds",
                                         "selfLink",
                                         "generateName"};
    for (size_t i = 0; i < ARRAY_LENGTH(server); i++)
        json_object_del(metadata, server[i]);
    if (json_object_size(metadata) > 0)
        json_object_set_new(copy, "metadata", metadata);
    else
        json_object_del(copy, "metadata");
    if (json_object_size(metadata) == 0)
        json_decref(metadata);
    return copy;
}

json_t *field_set_changed(const json_t *old, const json_t *new)
{
    json_t *before = old != NULL ? without_identity(old) : NULL;
    json_t *now = without_identity(new);
    json_t *fields = object_fields(NULL, now, before);
    json_decref(before);
    json_decref(now);
    return fields;
}

json_t *field_set_of(const json_t *object)
{
    return field_set_changed(NULL, object);
}

json_t *field_set_removed(const json_t *old, const json_t *new)
{
    json_t *before = field_set_of(old), *now = field_set_of(new);
    json_t *removed = field_set_subtract(before, now);
    json_decref(before);
    json_decref(now);
    return removed;
}

// --- sets ----------------------------------------------------------------------------------------

static bool is_member(const json_t *node)
{
    return node != NULL && (json_object_size(node) == 0 || json_object_get(node, ".") != NULL);
}

static size_t children(const json_t *node)
{
    return json_object_size(node) - (json_object_get(node, ".") != NULL);
}

// Puts a node of these children into the set, unless it is empty.
static void put(json_t *set, const char *key, json_t *inner, bool member)
{
    json_object_del(inner, ".");
    if (member && json_object_size(inner) > 0)
        json_object_set_new(inner, ".", json_object());
    if (member || json_object_size(inner) > 0)
        json_object_set_new(set, key, inner);
    else
        json_decref(inner);
}

json_t *field_set_union(const json_t *a, const json_t *b)
{
    json_t *set = json_deep_copy(a);
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)b, key, value) {
        const json_t *own = json_object_get(a, key);
        if (strcmp(key, ".") == 0)
            continue;
        json_t *inner = own != NULL ? field_set_union(own, value) : json_deep_copy(value);
        put(set, key, inner, is_member(own) || is_member(value));
    }
    return set;
}

json_t *field_set_subtract(const json_t *a, const json_t *b)
{
    json_t *set = json_object();
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)a, key, value) {
        const json_t *other = json_object_get(b, key);
        if (strcmp(key, ".") == 0)
            continue;
        if (other == NULL)
            json_object_set_new(set, key, json_deep_copy(value));
        else
            put(set, key, field_set_subtract(value, other), is_member(value) && !is_member(other));
    }
    return set;
}

json_t *field_set_intersect(const json_t *a, const json_t *b)
{
    json_t *set = json_object();
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)a, key, value) {
        const json_t *other = json_object_get(b, key);
        if (other != NULL && strcmp(key, ".") != 0)
            put(set, key, field_set_intersect(value, other), is_member(value) && is_member(other));
    }
    return set;
}

// --- paths ---------------------------------------------------------------------------------------

struct walk {
    void (*visit)(void *context, const char *path);
    void *context;
};

static void add_step(struct text *path, const char *key)
{
    if (strncmp(key, "f:", 2) == 0) {
        text_format(path, ".%s", key + 2);
        return;
    }
    if (strncmp(key, "v:", 2) == 0) {
        text_format(path, "[=%s]", key + 2);
        return;
    }
    json_t *identity = json_loads(key + 2, 0, NULL);
    const char *name, *separator = "[";
    json_t *value;
    json_object_foreach (identity, name, value) {
        CLEANUP_FREE char *text = json_dumps(value, JSON_ENCODE_ANY);
        text_format(path, "%s%s=%s", separator, name, text);
        separator = ",";
    }
    text_add(path, "]");
    json_decref(identity);
}

static void walk(const struct walk *walker, const char *path, const json_t *set)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)set, key, value) {
        if (strcmp(key, ".") == 0)
            continue;
        struct text own = {0};
        text_add(&own, path);
        add_step(&own, key);
        if (is_member(value))
            walker->visit(walker->context, own.data);
        if (children(value) > 0)
            walk(walker, own.data, value);
        text_free(&own);
    }
}

void field_set_each(const json_t *set, void (*visit)(void *context, const char *path),
                    void *context)
{
    walk(&(struct walk){visit, context}, "", set);
}
