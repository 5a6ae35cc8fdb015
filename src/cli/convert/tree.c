#include "cli/convert/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

// Copies the next name of a path and moves on; false at its end.
static bool next_name(const char **path, char name[64])
{
    size_t length = strcspn(*path, ".");
    assert(length < 64);
    if (length == 0)
        return false;
    memcpy(name, *path, length);
    name[length] = '\0';
    *path += length + ((*path)[length] == '.');
    return true;
}

json_t *tree_at(const json_t *value, const char *path)
{
    char name[64];
    const json_t *at = value;
    while (at != NULL && next_name(&path, name))
        at = json_object_get(at, name);
    return json_is_null(at) ? NULL : (json_t *)at;
}

const char *tree_text_at(const json_t *value, const char *path)
{
    return json_string_value(tree_at(value, path));
}

json_t *tree_make(json_t *value, const char *path)
{
    assert(json_is_object(value));
    char name[64];
    while (next_name(&path, name)) {
        json_t *child = json_object_get(value, name);
        if (!json_is_object(child)) {
            child = json_object();
            json_object_set_new(value, name, child);
        }
        value = child;
    }
    return value;
}

json_t *tree_take(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (value == NULL)
        return NULL;
    json_incref(value);
    json_object_del(object, key);
    if (!json_is_null(value))
        return value;
    json_decref(value);
    return NULL;
}

void tree_put(json_t *object, const char *key, json_t *value)
{
    if (value != NULL)
        json_object_set_new(object, key, value);
}

void tree_move(json_t *from, json_t *to, const char *key)
{
    tree_put(to, key, tree_take(from, key));
}

const char *tree_scalar(const json_t *value, struct arena *arena)
{
    if (json_is_string(value))
        return json_string_value(value);
    if (!json_is_number(value) && !json_is_boolean(value))
        return NULL;
    CLEANUP_FREE char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    return arena_copy_string(arena, text);
}

static json_t *ordered(const json_t *value, bool is_top);

static json_t *ordered_object(const json_t *value, bool is_top)
{
    static const char *const first[] = {"apiVersion", "kind", "metadata", "spec"};
    json_t *result = json_object(), *member;
    size_t count = 0;
    const char **keys = memory_allocate_array(json_object_size(value) + 1, sizeof *keys), *key;
    json_object_foreach ((json_t *)value, key, member)
        keys[count++] = key;
    if (count > 1)
        qsort(keys, count, sizeof *keys, text_compare);
    for (size_t i = 0; is_top && i < ARRAY_LENGTH(first); i++)
        if ((member = json_object_get(value, first[i])) != NULL)
            json_object_set_new(result, first[i], ordered(member, false));
    for (size_t i = 0; i < count; i++)
        if (json_object_get(result, keys[i]) == NULL)
            json_object_set_new(result, keys[i], ordered(json_object_get(value, keys[i]), false));
    free(keys);
    return result;
}

static json_t *ordered(const json_t *value, bool is_top)
{
    if (json_is_object(value))
        return ordered_object(value, is_top);
    if (!json_is_array(value))
        return json_copy((json_t *)value);
    json_t *result = json_array(), *item;
    size_t index;
    json_array_foreach (value, index, item)
        json_array_append_new(result, ordered(item, false));
    return result;
}

json_t *tree_ordered(const json_t *value)
{
    return ordered(value, true);
}

void tree_prune(json_t *value, const char *path)
{
    char name[64];
    if (!next_name(&path, name))
        return;
    json_t *child = json_object_get(value, name);
    if (!json_is_object(child))
        return;
    tree_prune(child, path);
    if (json_object_size(child) == 0)
        json_object_del(value, name);
}
