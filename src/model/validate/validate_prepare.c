#include "model/validate/validate_prepare.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/schema/form.h"
#include "model/validate/validate_hints.h"
#include "model/validate/validation.h"

#define WHOLE_NUMBER_MAX (INT64_C(1) << 53) // above it a real is not exact

static json_t *prepare_value(struct validation *validation, const struct place *place,
                             const struct field *field, const json_t *value);
static json_t *prepare_list(struct validation *validation, const struct place *place,
                            const struct field *field, const json_t *list);
static json_t *prepare_map(struct validation *validation, const struct place *place,
                           const json_t *map);
static void report_members(struct validation *validation, const struct place *place,
                           const json_t *value);
static json_t *copy_whole(const json_t *value);
static void add_defaults(struct validation *validation, const struct place *place,
                         const struct type *type, json_t *object);
static void report_unknown(struct validation *validation, const struct place *place,
                           const struct type *type, const char *name);

json_t *prepare_object(struct validation *validation, const struct place *place,
                       const struct type *type, const json_t *object)
{
    json_t *result = json_object();
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value) {
        const struct field *field = type_field(type, key);
        struct place child = {place, key, 0};
        if (field == NULL)
            report_unknown(validation, &child, type, key);
        else if (json_is_given(value))
            json_object_set_new(result, key, prepare_value(validation, &child, field, value));
    }
    add_defaults(validation, place, type, result);
    assert(json_is_object(result));
    return result;
}

static json_t *prepare_value(struct validation *validation, const struct place *place,
                             const struct field *field, const json_t *value)
{
    if (field->kind == FIELD_JSON)
        return json_is_object(value) ? prepare_map(validation, NULL, value) : copy_whole(value);
    bool fits = form_stores(form_of(field), value);
    if (fits && (field->kind == FIELD_OBJECT || field->kind == FIELD_POINTER))
        return prepare_object(validation, place, field->type, value);
    if (fits && (field->kind == FIELD_LIST || field->kind == FIELD_STRING_LIST))
        return prepare_list(validation, place, field, value);
    if (fits && (field->kind == FIELD_STRING_MAP || field->kind == FIELD_RESOURCE_MAP))
        return prepare_map(validation, place, value);
    report_members(validation, place, value);
    return copy_whole(value);
}

// If an object is the wrong type here, each of its members is an unknown field, too.
static void report_members(struct validation *validation, const struct place *place,
                           const json_t *value)
{
    static const struct type nothing = {.name = ""};
    const char *key;
    json_t *member;
    size_t index;
    json_object_foreach ((json_t *)value, key, member) {
        struct place child = {place, key, 0};
        report_unknown(validation, &child, &nothing, key);
    }
    json_array_foreach (value, index, member) {
        struct place child = {place, NULL, index};
        report_members(validation, &child, member);
    }
}

// A null in a list stays and is refused as a value of the wrong type.
static json_t *prepare_list(struct validation *validation, const struct place *place,
                            const struct field *field, const json_t *list)
{
    assert(json_is_array(list));
    json_t *result = json_array();
    size_t index;
    json_t *item;
    json_array_foreach (list, index, item) {
        struct place child = {place, NULL, index};
        if (field->kind == FIELD_LIST && form_stores(form_of_items(field), item)) {
            json_array_append_new(result, prepare_object(validation, &child, field->type, item));
            continue;
        }
        report_members(validation, &child, item);
        json_array_append_new(result, copy_whole(item));
    }
    return result;
}

// `place` is NULL if the entries may be anything.
static json_t *prepare_map(struct validation *validation, const struct place *place,
                           const json_t *map)
{
    assert(json_is_object(map));
    json_t *result = json_object();
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)map, key, value) {
        struct place child = {place, key, 0};
        if (json_is_null(value))
            continue;
        if (place != NULL)
            report_members(validation, &child, value);
        json_object_set_new(result, key, copy_whole(value));
    }
    return result;
}

// A deep copy with 1.0 converted to 1.
static json_t *copy_whole(const json_t *value)
{
    int64_t number;
    if (json_is_real(value)) {
        if (json_whole(value, &number) && number >= -WHOLE_NUMBER_MAX && number <= WHOLE_NUMBER_MAX)
            return json_integer(number);
    } else if (json_is_object(value)) {
        json_t *result = json_object(), *member;
        const char *key;
        json_object_foreach ((json_t *)value, key, member)
            json_object_set_new(result, key, copy_whole(member));
        return result;
    } else if (json_is_array(value)) {
        json_t *result = json_array(), *item;
        size_t index;
        json_array_foreach (value, index, item)
            json_array_append_new(result, copy_whole(item));
        return result;
    }
    return json_incref((json_t *)value);
}

// A default may be an object, which its fields' defaults then complete.
static void add_defaults(struct validation *validation, const struct place *place,
                         const struct type *type, json_t *object)
{
    for (uint32_t i = 0; i < type->fields_count; i++) {
        const struct field *field = &type->fields[i];
        if (json_object_get(object, field->name) != NULL)
            continue;
        json_t *value = field_default(field, validation->options->as_of_aws_1_14);
        if (value == NULL)
            continue;
        struct place child = {place, field->name, 0};
        json_object_set_new(object, field->name, prepare_value(validation, &child, field, value));
        json_decref(value);
    }
}

static void report_unknown(struct validation *validation, const struct place *place,
                           const struct type *type, const char *name)
{
    struct text hint = {0};
    bool known = hint_unknown_field(validation, place->parent, type, name, &hint);
    bool lenient = validation->options->lenient;
    validation_report(validation,
                      &(struct report){.level = lenient ? FINDING_WARNING : FINDING_REFUSED,
                                       .code = lenient ? "W-unknown-field" : NULL,
                                       .rule = "API-10",
                                       .place = place,
                                       .hint = known ? hint.data : NULL},
                      "unknown field \"%s\"", name);
    text_free(&hint);
}
