#include "sim/store/store_json.h"

#include <string.h>

#include "base/text.h"

const char *string_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const char *metadata_string(const json_t *object, const char *key)
{
    const char *text = string_at(json_object_get(object, "metadata"), key);
    return text != NULL ? text : "";
}

const char *store_name(const json_t *object)
{
    return metadata_string(object, "name");
}

const char *store_namespace(const json_t *object)
{
    return metadata_string(object, "namespace");
}

const char *store_uid(const json_t *object)
{
    return metadata_string(object, "uid");
}

json_t *store_path(const json_t *object, const char *path)
{
    const json_t *value = object;
    while (value != NULL) {
        size_t length = strcspn(path, ".");
        value = json_object_getn(value, path, length);
        if (path[length] == '\0')
            break;
        path += length + 1;
    }
    return (json_t *)value;
}

json_t *child_object(json_t *object, const char *key)
{
    json_t *child = json_object_get(object, key);
    if (!json_is_object(child)) {
        child = json_object();
        json_object_set_new(object, key, child);
    }
    return child;
}

void default_set(json_t *object, const char *key, json_t *value)
{
    json_t *given = json_object_get(object, key);
    if (given == NULL || json_is_null(given))
        json_object_set_new(object, key, value);
    else
        json_decref(value);
}

bool store_condition_is_true(const json_t *object, enum condition_type type)
{
    size_t index;
    json_t *condition;
    json_array_foreach (store_path(object, "status.conditions"), index, condition)
        if (text_equal(json_string_value(json_object_get(condition, "type")), condition_name(type)))
            return text_equal(json_string_value(json_object_get(condition, "status")), "True");
    return false;
}
