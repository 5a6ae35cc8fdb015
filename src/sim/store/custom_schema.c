#include "sim/store/custom_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pattern.h"
#include "base/text.h"
#include "sim/store/store_json.h"

#define DEPTH_MAX 60

const json_t *custom_schema_of(const json_t *version)
{
    return store_path(version, "schema.openAPIV3Schema");
}

static char *member_path(const char *path, const char *name)
{
    struct text text = {0};
    text_format(&text, "%s%s%s", path, path[0] != '\0' ? "." : "", name);
    return text_take(&text);
}

static char *item_path(const char *path, size_t index)
{
    struct text text = {0};
    text_format(&text, "%s[%zu]", path, index);
    return text_take(&text);
}

// --- unknown fields and defaults -----------------------------------------------------------------

static void complete(const json_t *schema, json_t *value, const char *path, int depth,
                     json_t *unknown);

static bool keeps_unknown(const json_t *schema)
{
    return json_is_true(json_object_get(schema, "x-kubernetes-preserve-unknown-fields")) ||
           json_is_true(json_object_get(schema, "x-kubernetes-embedded-resource"));
}

static bool is_of_every_object(const char *path, const char *name)
{
    return path[0] == '\0' && (strcmp(name, "apiVersion") == 0 || strcmp(name, "kind") == 0 ||
                               strcmp(name, "metadata") == 0);
}

static void complete_members(const json_t *schema, json_t *object, const char *path, int depth,
                             json_t *unknown)
{
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *each = json_object_get(schema, "additionalProperties");
    const char *name;
    json_t *member;
    void *next;
    json_object_foreach_safe(object, next, name, member)
    {
        const json_t *own = json_object_get(properties, name);
        CLEANUP_FREE char *inner = member_path(path, name);
        if (is_of_every_object(path, name))
            continue;
        if (own != NULL || each != NULL) {
            complete(own != NULL ? own : each, member, inner, depth + 1, unknown);
        } else if (!keeps_unknown(schema)) {
            json_array_append_new(unknown, json_string(inner));
            json_object_del(object, name);
        }
    }
}

static void complete(const json_t *schema, json_t *value, const char *path, int depth,
                     json_t *unknown)
{
    size_t i;
    const char *name;
    json_t *item, *property;
    if (depth > DEPTH_MAX || !json_is_object(schema))
        return;
    if (json_is_array(value)) {
        json_array_foreach (value, i, item) {
            CLEANUP_FREE char *inner = item_path(path, i);
            complete(json_object_get(schema, "items"), item, inner, depth + 1, unknown);
        }
        return;
    }
    if (!json_is_object(value))
        return;
    json_object_foreach (json_object_get(schema, "properties"), name, property) {
        json_t *given = json_object_get(property, "default");
        if (given != NULL && json_object_get(value, name) == NULL)
            json_object_set_new(value, name, json_deep_copy(given));
    }
    complete_members(schema, value, path, depth, unknown);
}

void custom_schema_complete(const json_t *schema, json_t *object, json_t *unknown)
{
    complete(schema, object, "", 0, unknown);
}

// --- checks --------------------------------------------------------------------------------------

static void check(const json_t *schema, const json_t *value, const char *path, int depth,
                  struct field_errors *errors);

static const char *type_of(const json_t *value)
{
    return json_is_string(value)    ? "string"
           : json_is_integer(value) ? "integer"
           : json_is_real(value)    ? "number"
           : json_is_boolean(value) ? "boolean"
           : json_is_array(value)   ? "array"
           : json_is_object(value)  ? "object"
                                    : "null";
}

static bool fits_type(const json_t *schema, const json_t *value)
{
    const char *type = string_at(schema, "type");
    if (type == NULL || strcmp(type, type_of(value)) == 0)
        return true;
    if (strcmp(type, "number") == 0 && json_is_integer(value))
        return true;
    return strcmp(type, "integer") == 0 && json_is_real(value) &&
           json_real_value(value) == (double)(int64_t)json_real_value(value);
}

static void refuse_type(const json_t *schema, const json_t *value, const char *path,
                        struct field_errors *errors)
{
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\"", type_of(value));
    field_errors_add(errors, FIELD_PROBLEM_INVALID, path, quoted,
                     "%s in body must be of type %s: %s", path, string_at(schema, "type"), quoted);
}

static void check_enumeration(const json_t *schema, const json_t *value, const char *text,
                              const char *path, struct field_errors *errors)
{
    const json_t *allowed = json_object_get(schema, "enum");
    struct text supported = {0};
    size_t i;
    json_t *one;
    bool found = !json_is_array(allowed);
    json_array_foreach (allowed, i, one) {
        CLEANUP_FREE char *quoted = json_dumps(one, JSON_ENCODE_ANY);
        text_join(&supported, ", ", quoted);
        found = found || json_equal(one, value);
    }
    if (!found)
        field_errors_add(errors, FIELD_PROBLEM_NOT_SUPPORTED, path, text, "supported values: %s",
                         supported.data != NULL ? supported.data : "");
    text_free(&supported);
}

// Numbers, and lengths of texts, arrays and objects.
static void check_bounds(const json_t *schema, const json_t *value, const char *text,
                         const char *path, struct field_errors *errors)
{
    double amount = json_is_number(value)   ? json_number_value(value)
                    : json_is_string(value) ? (double)json_string_length(value)
                    : json_is_array(value)  ? (double)json_array_size(value)
                                            : (double)json_object_size(value);
    const struct {
        bool applies, most;
        const char *key, *words;
    } bounds[] = {
        {json_is_number(value), false, "minimum", "should be greater than or equal to"},
        {json_is_number(value), true, "maximum", "should be less than or equal to"},
        {json_is_string(value), false, "minLength", "should be at least"},
        {json_is_string(value), true, "maxLength", "may not be more than"},
        {json_is_array(value), false, "minItems", "should have at least"},
        {json_is_array(value), true, "maxItems", "must have at most"},
        {json_is_object(value), false, "minProperties", "should have at least"},
        {json_is_object(value), true, "maxProperties", "must have at most"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(bounds); i++) {
        const json_t *bound = json_object_get(schema, bounds[i].key);
        double limit = json_number_value(bound);
        if (!bounds[i].applies || !json_is_number(bound) ||
            (bounds[i].most ? amount <= limit : amount >= limit))
            continue;
        const char *unit = json_is_string(value)   ? " chars long"
                           : json_is_array(value)  ? " items"
                           : json_is_object(value) ? " properties"
                                                   : "";
        field_errors_add(errors, FIELD_PROBLEM_INVALID, path, text, "%s in body %s %g%s", path,
                         bounds[i].words, limit, unit);
    }
}

static void check_pattern(const json_t *schema, const json_t *value, const char *text,
                          const char *path, struct field_errors *errors)
{
    const char *pattern = string_at(schema, "pattern");
    bool matches;
    if (pattern != NULL && json_is_string(value) &&
        pattern_try(pattern, json_string_value(value), &matches) && !matches)
        field_errors_add(errors, FIELD_PROBLEM_INVALID, path, text, "%s in body should match '%s'",
                         path, pattern);
}

static void check_members(const json_t *schema, const json_t *object, const char *path, int depth,
                          struct field_errors *errors)
{
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *each = json_object_get(schema, "additionalProperties");
    size_t i;
    const char *name;
    json_t *required, *member;
    json_array_foreach (json_object_get(schema, "required"), i, required) {
        const char *key = json_string_value(required);
        CLEANUP_FREE char *inner = member_path(path, key != NULL ? key : "");
        if (key != NULL && json_object_get(object, key) == NULL)
            field_errors_add(errors, FIELD_PROBLEM_REQUIRED, inner, NULL, "%s", "");
    }
    json_object_foreach ((json_t *)object, name, member) {
        const json_t *own = json_object_get(properties, name);
        CLEANUP_FREE char *inner = member_path(path, name);
        if (!is_of_every_object(path, name))
            check(own != NULL ? own : each, member, inner, depth + 1, errors);
    }
}

static void check(const json_t *schema, const json_t *value, const char *path, int depth,
                  struct field_errors *errors)
{
    size_t i;
    json_t *item;
    if (depth > DEPTH_MAX || !json_is_object(schema))
        return;
    if (json_is_true(json_object_get(schema, "x-kubernetes-int-or-string")) ||
        (json_is_null(value) && json_is_true(json_object_get(schema, "nullable"))))
        return;
    if (!fits_type(schema, value)) {
        refuse_type(schema, value, path, errors);
        return;
    }
    CLEANUP_FREE char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    check_enumeration(schema, value, text, path, errors);
    check_bounds(schema, value, text, path, errors);
    check_pattern(schema, value, text, path, errors);
    if (json_is_object(value))
        check_members(schema, value, path, depth, errors);
    json_array_foreach (json_is_array(value) ? value : NULL, i, item) {
        CLEANUP_FREE char *inner = item_path(path, i);
        check(json_object_get(schema, "items"), item, inner, depth + 1, errors);
    }
}

void custom_schema_check(const json_t *schema, const json_t *object, struct field_errors *errors)
{
    check(schema, object, "", 0, errors);
}
