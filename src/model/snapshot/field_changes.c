#include "model/snapshot/field_changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "model/schema/encode.h"

#define DEPTH_MAX 64

struct comparison {
    struct arena *arena;
    VECTOR(struct field_change) changes;
};

static void compare(struct comparison *comparison, const char *path, const json_t *from,
                    const json_t *to, int depth);

// --- values --------------------------------------------------------------------------------------

// What an API server fills in where a manifest is silent.
static bool is_default(const char *path, const json_t *value)
{
    static const struct {
        const char *field, *value;
    } defaults[] = {
        {"restartPolicy", "\"Always\""},
        {"dnsPolicy", "\"ClusterFirst\""},
        {"schedulerName", "\"default-scheduler\""},
        {"protocol", "\"TCP\""},
        {"terminationGracePeriodSeconds", "30"},
        {"replicas", "1"},
        {"podManagementPolicy", "\"OrderedReady\""},
        {"type", "\"RollingUpdate\""},
    };
    const char *dot = strrchr(path, '.');
    CLEANUP_FREE char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    for (size_t i = 0; i < ARRAY_LENGTH(defaults); i++)
        if (text_equal(dot != NULL ? dot + 1 : path, defaults[i].field) &&
            text_equal(text, defaults[i].value))
            return true;
    return text_equal(text, "{}") || text_equal(text, "[]") || text_equal(text, "null");
}

// "In [spot, on-demand]"; NULL: it is no requirement.
static const char *requirement_text(struct arena *arena, const json_t *value)
{
    const char *operator= json_string_value(json_object_get(value, "operator"));
    const json_t *values = json_object_get(value, "values");
    if (operator== NULL || json_string_value(json_object_get(value, "key")) == NULL)
        return NULL;
    struct text text = {0};
    size_t index;
    json_t *item;
    text_add(&text, operator);
    json_array_foreach (values, index, item)
        text_format(&text, "%s%s", index == 0 ? " [" : ", ",
                    text_or_empty(json_string_value(item)));
    if (json_array_size(values) > 0)
        text_add(&text, "]");
    const char *copy = arena_copy_string(arena, text.data);
    text_free(&text);
    return copy;
}

static const char *value_text(struct arena *arena, const json_t *value)
{
    if (value == NULL)
        return NULL;
    if (json_is_string(value))
        return arena_copy_string(arena, json_string_value(value));
    if (requirement_text(arena, value) != NULL)
        return requirement_text(arena, value);
    CLEANUP_FREE char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS |
                                                    JSON_REAL_PRECISION(15));
    return arena_copy_string(arena, text_or_empty(text));
}

static void add(struct comparison *comparison, const char *path, const json_t *from,
                const json_t *to)
{
    const json_t *only = from == NULL ? to : from;
    if ((from == NULL || to == NULL) && (only == NULL || is_default(path, only)))
        return;
    vector_push(&comparison->changes,
                (struct field_change){path, value_text(comparison->arena, from),
                                      value_text(comparison->arena, to)});
}

// --- lists and objects ---------------------------------------------------------------------------

// The text by which items of a list are told apart; NULL: their place counts.
static const char *item_name(const json_t *item)
{
    static const char *const keys[] = {"key", "name", "deviceName", "topologyKey"};
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        if (json_string_value(json_object_get(item, keys[i])) != NULL)
            return json_string_value(json_object_get(item, keys[i]));
    return NULL;
}

// The items by name; NULL if some have none or two have the same.
static json_t *items_by_name(const json_t *list)
{
    json_t *items = json_object(), *item;
    size_t index;
    json_array_foreach (list, index, item) {
        const char *name = item_name(item);
        if (name != NULL && json_object_get(items, name) == NULL) {
            json_object_set(items, name, item);
        } else {
            json_decref(items);
            return NULL;
        }
    }
    return items;
}

static const char *path_below(struct arena *arena, const char *path, const char *key, bool bracket)
{
    if (bracket || strpbrk(key, "./") != NULL)
        return arena_format(arena, "%s[%s]", path, key);
    return path[0] == '\0' ? arena_copy_string(arena, key)
                           : arena_format(arena, "%s.%s", path, key);
}

static void compare_members(struct comparison *comparison, const char *path, const json_t *from,
                            const json_t *to, bool items, int depth)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)from, key, value)
        compare(comparison, path_below(comparison->arena, path, key, items), value,
                json_object_get(to, key), depth + 1);
    json_object_foreach ((json_t *)to, key, value)
        if (json_object_get(from, key) == NULL)
            compare(comparison, path_below(comparison->arena, path, key, items), NULL, value,
                    depth + 1);
}

static bool is_map(const char *path)
{
    return text_ends_with(path, "labels") || text_ends_with(path, "annotations") ||
           text_ends_with(path, "matchLabels") || text_ends_with(path, "nodeSelector");
}

// An object whose members are told even where one side has none of it.
static bool is_told_by_members(const char *path)
{
    return is_map(path) || text_ends_with(path, "metadata") || text_ends_with(path, "limits") ||
           text_ends_with(path, "requests");
}

// Items that are on both sides with other values are one change each, so that a requirement is
// told as a whole.
static void compare_lists(struct comparison *comparison, const char *path, const json_t *from,
                          const json_t *to, int depth)
{
    json_t *from_items = items_by_name(from), *to_items = items_by_name(to);
    bool whole = text_ends_with(path, "requirements") || text_ends_with(path, "aints");
    if (from_items == NULL || to_items == NULL) {
        add(comparison, path, from, to);
    } else if (whole) {
        const char *key;
        json_t *value;
        json_object_foreach (from_items, key, value)
            if (!json_equal(value, json_object_get(to_items, key)))
                add(comparison, path_below(comparison->arena, path, key, true), value,
                    json_object_get(to_items, key));
        json_object_foreach (to_items, key, value)
            if (json_object_get(from_items, key) == NULL)
                add(comparison, path_below(comparison->arena, path, key, true), NULL, value);
    } else {
        compare_members(comparison, path, from_items, to_items, true, depth);
    }
    json_decref(from_items);
    json_decref(to_items);
}

static void compare(struct comparison *comparison, const char *path, const json_t *from,
                    const json_t *to, int depth)
{
    if (from != NULL && to != NULL && json_equal(from, to))
        return;
    bool deep = depth < DEPTH_MAX;
    bool objects = (from == NULL || json_is_object(from)) && (to == NULL || json_is_object(to));
    if (deep && objects && ((from != NULL && to != NULL) || is_told_by_members(path)))
        compare_members(comparison, path, from, to, is_map(path), depth);
    else if (deep && json_is_array(from) && json_is_array(to))
        compare_lists(comparison, path, from, to, depth);
    else
        add(comparison, path, from, to);
}

// --- the objects ---------------------------------------------------------------------------------

// kubectl's record of what was applied, revisions, drift hashes: nobody edits them.
static bool is_kept_by_programs(const char *annotation)
{
    static const char *const parts[] = {"kubectl.kubernetes.io/", "deployment.kubernetes.io/",
                                        "-hash", "karpenter.sh/stored-version"};
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        if (strstr(annotation, parts[i]) != NULL)
            return true;
    return false;
}

static json_t *compared_part(const struct object *object)
{
    static const char *const header[] = {"apiVersion", "kind", "metadata", "status"};
    json_t *json = object_encode(object), *part = json_object(), *metadata = json_object(), *value;
    const char *key;
    json_object_foreach (json, key, value) {
        bool is_header = false;
        for (size_t i = 0; i < ARRAY_LENGTH(header); i++)
            is_header = is_header || strcmp(key, header[i]) == 0;
        if (!is_header)
            json_object_set(part, key, value);
    }
    json_t *annotations = json_object();
    json_object_foreach (json_object_get(json_object_get(json, "metadata"), "annotations"), key,
                         value)
        if (!is_kept_by_programs(key))
            json_object_set(annotations, key, value);
    json_object_set_new(metadata, "annotations", annotations);
    value = json_object_get(json_object_get(json, "metadata"), "labels");
    if (value != NULL)
        json_object_set(metadata, "labels", value);
    json_object_set_new(part, "metadata", metadata);
    json_decref(json);
    return part;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct field_change *)a)->path, ((const struct field_change *)b)->path);
}

field_change_list field_changes_find(struct arena *arena, const struct object *before,
                                     const struct object *after)
{
    struct comparison comparison = {.arena = arena};
    json_t *from = compared_part(before), *to = compared_part(after);
    compare(&comparison, "", from, to, 0);
    json_decref(from);
    json_decref(to);
    field_change_list list = {0};
    list.items = arena_allocate_array(arena, comparison.changes.count + 1, sizeof *list.items);
    vector_for_each (change, &comparison.changes)
        list.items[list.count++] = *change;
    vector_free(&comparison.changes);
    if (list.count > 1)
        qsort(list.items, list.count, sizeof *list.items, by_path);
    return list;
}

bool field_change_is_below(const struct field_change *change, const char *path)
{
    size_t length = strlen(path);
    char next = strncmp(change->path, path, length) == 0 ? change->path[length] : 'x';
    return next == '\0' || next == '.' || next == '[';
}
