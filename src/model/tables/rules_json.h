// JSON accessors for the rules: values of the wrong type count as absent.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static inline const char *json_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key)); // NULL if absent or not a string
}
static inline bool json_text_is(const json_t *object, const char *key, const char *text)
{
    const char *value = json_text(object, key);
    return value != NULL && strcmp(value, text) == 0;
}
static inline bool json_has(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value != NULL && !json_is_null(value);
}
static inline size_t json_size(const json_t *object, const char *key) // of a list; absent: 0
{
    return json_array_size(json_object_get(object, key));
}
