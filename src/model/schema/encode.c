// Objects to JSON, by the tables: absent fields stay absent, empty ones stay empty.
#include <assert.h>
#include <string.h>

#include "base/quantity.h"
#include "model/schema/encode.h"
#include "model/schema/pack.h"

static json_t *encode_field(const struct field *field, const char *from);

json_t *object_encode(const struct object *object)
{
    assert(object->kind != NULL);
    json_t *json = json_object();
    json_object_set_new(json, "apiVersion", json_string(object->kind->api_version));
    json_object_set_new(json, "kind", json_string(object->kind->name));
    json_t *body = struct_encode(object->kind->type, object);
    json_object_update_new(json, body);
    return json;
}

json_t *struct_encode(const struct type *type, const void *value)
{
    assert(type != NULL);
    assert(value != NULL);
    json_t *json = json_object();
    for (const struct field *field = type->fields; field < type->fields + type->fields_count;
         field++) {
        if (field->flags & FIELD_SCHEMA_ONLY)
            continue;
        json_t *member = encode_field(field, (const char *)value + field->offset);
        if (member != NULL)
            json_object_set_new(json, field->name, member);
    }
    return json;
}

json_t *string_list_encode(const struct string_list *list)
{
    json_t *json = json_array();
    for (uint32_t i = 0; i < list->count; i++)
        json_array_append_new(json, json_string(list->items[i]));
    return json;
}

json_t *string_map_encode(const struct string_map *map)
{
    json_t *json = json_object();
    for (uint32_t i = 0; i < map->count; i++)
        json_object_set_new(json, map->items[i].key, json_string(map->items[i].value));
    return json;
}

json_t *resource_map_encode(const struct resource_map *map)
{
    json_t *json = json_object();
    for (uint32_t i = 0; i < map->count; i++) {
        char text[QUANTITY_TEXT_MAX];
        quantity_format(map->items[i].name, map->items[i].value, text);
        json_object_set_new(json, map->items[i].name, json_string(text));
    }
    return json;
}

static json_t *encode_string(const char *text)
{
    return text == NULL ? NULL : json_string(text);
}

static json_t *encode_int_or_string(const struct int_or_string *value)
{
    if (!value->present)
        return NULL;
    return value->text != NULL ? json_string(value->text) : json_integer(value->number);
}

static json_t *encode_time(int64_t nanoseconds, bool micro)
{
    if (nanoseconds == 0)
        return NULL;
    char text[INSTANT_TEXT_MAX];
    if (micro)
        instant_format_micro(nanoseconds, text);
    else
        instant_format(nanoseconds, text);
    return json_string(text);
}

static json_t *encode_list(const struct field *field, const struct any_list *list)
{
    json_t *json = json_array();
    for (uint32_t i = 0; i < list->count; i++)
        json_array_append_new(
            json, struct_encode(field->type, (const char *)list->items + i * field->type->size));
    return json;
}

// A struct without a presence flag is written if it is not empty.
static json_t *encode_embedded(const struct field *field, const char *from, bool always)
{
    json_t *json = struct_encode(field->type, from);
    if (always || json_object_size(json) > 0)
        return json;
    json_decref(json);
    return NULL;
}

static json_t *encode_collection(const struct field *field, const char *from)
{
    const struct any_list *list = (const struct any_list *)from;
    if (list->items == NULL && list->count == 0)
        return NULL;
    if (field->kind == FIELD_LIST)
        return encode_list(field, list);
    if (field->kind == FIELD_STRING_LIST)
        return string_list_encode((const struct string_list *)from);
    if (field->kind == FIELD_STRING_MAP)
        return string_map_encode((const struct string_map *)from);
    assert(field->kind == FIELD_RESOURCE_MAP);
    return resource_map_encode((const struct resource_map *)from);
}

static json_t *encode_field(const struct field *field, const char *from)
{
    // A zero that differs from the default, or that the schema requires, must be written.
    bool always = (field->flags & FIELD_REQUIRED) || field->default_json != NULL;
    int64_t number;
    switch (field->kind) {
    case FIELD_STRING:
        return encode_string(*(const char *const *)from);
    case FIELD_BOOL:
        return *(const bool *)from || always ? json_boolean(*(const bool *)from) : NULL;
    case FIELD_OPTIONAL_BOOL: {
        const struct optional_bool *value = (const struct optional_bool *)from;
        return value->present ? json_boolean(value->value) : NULL;
    }
    case FIELD_INT:
    case FIELD_INT32:
        memcpy(&number, from, sizeof number);
        return number != 0 || always ? json_integer(number) : NULL;
    case FIELD_OPTIONAL_INT:
    case FIELD_OPTIONAL_INT32: {
        const struct optional_int *value = (const struct optional_int *)from;
        return value->present ? json_integer(value->value) : NULL;
    }
    case FIELD_INT_OR_STRING:
        return encode_int_or_string((const struct int_or_string *)from);
    case FIELD_DURATION:
        return encode_string(((const struct duration *)from)->text);
    case FIELD_TIME:
    case FIELD_MICRO_TIME:
        memcpy(&number, from, sizeof number);
        return encode_time(number, field->kind == FIELD_MICRO_TIME);
    case FIELD_PRICE:
        memcpy(&number, from, sizeof number);
        return number != 0 || always ? json_real(price_to_double(number)) : NULL;
    case FIELD_OBJECT:
        return encode_embedded(field, from, (field->flags & FIELD_REQUIRED) != 0);
    case FIELD_POINTER:
        if (*(const char *const *)from == NULL)
            return NULL;
        return struct_encode(field->type, *(const char *const *)from);
    case FIELD_LIST:
    case FIELD_STRING_LIST:
    case FIELD_STRING_MAP:
    case FIELD_RESOURCE_MAP:
        return encode_collection(field, from);
    case FIELD_JSON:
        if (*(const char *const *)from == NULL)
            return NULL;
        return json_loads(*(const char *const *)from, JSON_DECODE_ANY, NULL);
    }
    return NULL;
}
