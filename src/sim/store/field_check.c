#include "sim/store/field_check.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/store/builtin_types.h"
#include "sim/store/store_json.h"

#define DEPTH_MAX 40

struct field_pass {
    const json_t *types;
    const struct store_resource *resource;
    json_t *unknown;
    struct failure *failure;
};

struct place {                // of a value
    const char *path, *plain; // "spec.containers[0].image", "spec.containers.image"
    const char *type;         // the type that the field is of, for messages
    int depth;
};

static bool check_value(const struct field_pass *pass, const json_t *schema, const json_t *value,
                        const struct place *place);

// --- types ---------------------------------------------------------------------------------------

static const char *name_of_value(const json_t *value)
{
    return json_is_string(value)    ? "string"
           : json_is_number(value)  ? "number"
           : json_is_boolean(value) ? "bool"
           : json_is_array(value)   ? "array"
                                    : "object";
}

static const char *name_of_schema(const json_t *schema, const char *type)
{
    const char *format = string_at(schema, "format");
    if (strcmp(type, "integer") == 0)
        return format != NULL ? format : "int64";
    return strcmp(type, "boolean") == 0  ? "bool"
           : strcmp(type, "number") == 0 ? "float64"
           : strcmp(type, "array") == 0  ? "[]"
                                         : type;
}

static bool fits(const char *type, const json_t *value)
{
    return strcmp(type, "string") == 0    ? json_is_string(value)
           : strcmp(type, "integer") == 0 ? json_is_integer(value)
           : strcmp(type, "number") == 0  ? json_is_number(value)
           : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
           : strcmp(type, "array") == 0   ? json_is_array(value)
                                          : json_is_object(value);
}

static bool refuse(const struct field_pass *pass, const char *type, const json_t *schema,
                   const json_t *value, const struct place *place)
{
    return failure_bad_request(
        pass->failure,
        "%s in version \"%s\" cannot be handled as a %s: json: cannot unmarshal %s into Go struct "
        "field %s.%s of type %s",
        pass->resource->kind, pass->resource->version, pass->resource->kind, name_of_value(value),
        place->type, place->plain, name_of_schema(schema, type));
}

// --- the tree ------------------------------------------------------------------------------------

static bool check_member(const struct field_pass *pass, const json_t *schema, const char *type,
                         const char *name, const json_t *value, const struct place *place)
{
    const char *dot = place->path[0] != '\0' ? "." : "";
    struct text path = {0}, plain = {0};
    text_format(&path, "%s%s%s", place->path, dot, name);
    text_format(&plain, "%s%s%s", place->plain, dot, name);
    bool good = true;
    if (schema == NULL)
        json_array_append_new(pass->unknown, json_string(path.data));
    else
        good = check_value(pass, schema, value,
                           &(struct place){path.data, plain.data, type, place->depth + 1});
    text_free(&path);
    text_free(&plain);
    return good;
}

static bool check_object(const struct field_pass *pass, const json_t *schema, const json_t *object,
                         const struct place *place, const char *type)
{
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *each = json_object_get(schema, "additionalProperties");
    const char *name;
    json_t *value;
    if (properties == NULL && each == NULL)
        return true;
    json_object_foreach ((json_t *)object, name, value) {
        const json_t *own = json_object_get(properties, name);
        if (name[0] == '$') // a directive of a patch
            continue;
        struct place here = *place;
        if (own == NULL && each != NULL) {
            here.depth++;
            if (!check_value(pass, each, value, &here)) // a map's field is the map itself
                return false;
        } else if (!check_member(pass, own, type, name, value, place)) {
            return false;
        }
    }
    return true;
}

static bool check_array(const struct field_pass *pass, const json_t *schema, const json_t *array,
                        const struct place *place)
{
    const json_t *items = json_object_get(schema, "items");
    size_t i;
    json_t *value;
    json_array_foreach (array, i, value) {
        struct text path = {0};
        text_format(&path, "%s[%zu]", place->path, i);
        bool good =
            check_value(pass, items, value,
                        &(struct place){path.data, place->plain, place->type, place->depth + 1});
        text_free(&path);
        if (!good)
            return false;
    }
    return true;
}

// The name of a type that the schema refers to, else the one of the place.
static const char *type_of(const json_t *schema, const char *otherwise)
{
    const char *reference = string_at(schema, "$ref");
    if (reference == NULL)
        reference = string_at(json_array_get(json_object_get(schema, "allOf"), 0), "$ref");
    return reference != NULL ? reference + strlen(TYPE_REFERENCE) : otherwise;
}

static bool check_value(const struct field_pass *pass, const json_t *schema, const json_t *value,
                        const struct place *place)
{
    const json_t *followed = builtin_types_follow(pass->types, schema);
    const char *type = string_at(followed, "type");
    if (type == NULL || json_is_null(value) || place->depth > DEPTH_MAX)
        return true;
    if (!fits(type, value))
        return refuse(pass, type, followed, value, place);
    if (json_is_object(value))
        return check_object(pass, followed, value, place, type_of(schema, place->type));
    return !json_is_array(value) || check_array(pass, followed, value, place);
}

bool field_check(const json_t *types, const struct store_resource *resource, const json_t *object,
                 json_t *unknown, struct failure *failure)
{
    const json_t *schema = builtin_types_kind(types, resource);
    const struct field_pass pass = {types, resource, unknown, failure};
    if (schema == NULL)
        return true;
    return check_value(&pass, schema, object,
                       &(struct place){"", "", builtin_types_name(types, resource), 0});
}
