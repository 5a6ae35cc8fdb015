#include "sim/apiserver/openapi.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/schema/type.h"
#include "sim/store/builtin_types.h"
#include "sim/store/custom_schema.h"
#include "sim/store/resources.h"
#include "sim/store/store_internal.h"

#define SCHEMA_DEPTH_MAX 16

static json_t *schema_of_type(const struct type *type, int depth);

static json_t *scalar(const char *type, const char *format)
{
    json_t *schema = json_pack("{s:s}", "type", type);
    if (format != NULL)
        json_object_set_new(schema, "format", json_string(format));
    return schema;
}

static json_t *schema_of_field(const struct field *field, int depth)
{
    switch (field->kind) {
    case FIELD_STRING:
    case FIELD_DURATION:
        return scalar("string", field->format);
    case FIELD_BOOL:
    case FIELD_OPTIONAL_BOOL:
        return scalar("boolean", NULL);
    case FIELD_INT:
    case FIELD_OPTIONAL_INT:
        return scalar("integer", "int64");
    case FIELD_INT32:
    case FIELD_OPTIONAL_INT32:
        return scalar("integer", "int32");
    case FIELD_INT_OR_STRING:
        return scalar("string", "int-or-string");
    case FIELD_TIME:
    case FIELD_MICRO_TIME:
        return scalar("string", "date-time");
    case FIELD_PRICE:
        return scalar("number", "double");
    case FIELD_OBJECT:
    case FIELD_POINTER:
        return schema_of_type(field->type, depth + 1);
    case FIELD_LIST:
        return json_pack("{s:s, s:o}", "type", "array", "items",
                         schema_of_type(field->type, depth + 1));
    case FIELD_STRING_LIST:
        return json_pack("{s:s, s:o}", "type", "array", "items", scalar("string", NULL));
    case FIELD_STRING_MAP:
    case FIELD_RESOURCE_MAP:
        return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                         scalar("string", NULL));
    case FIELD_JSON:
        return scalar("object", NULL);
    }
    return scalar("object", NULL);
}

static json_t *schema_of_type(const struct type *type, int depth)
{
    json_t *properties = json_object(), *required = json_array();
    for (uint32_t i = 0; type != NULL && depth < SCHEMA_DEPTH_MAX && i < type->fields_count; i++) {
        const struct field *field = &type->fields[i];
        json_t *schema = schema_of_field(field, depth);
        if (field->documentation != NULL)
            json_object_set_new(schema, "description", json_string(field->documentation));
        json_object_set_new(properties, field->name, schema);
        if (field->flags & FIELD_REQUIRED)
            json_array_append_new(required, json_string(field->name));
    }
    json_t *schema = json_pack("{s:s, s:o}", "type", "object", "properties", properties);
    if (type != NULL && type->documentation != NULL)
        json_object_set_new(schema, "description", json_string(type->documentation));
    if (json_array_size(required) > 0)
        json_object_set(schema, "required", required);
    json_decref(required);
    return schema;
}

static json_t *group_version_kind(const struct store_resource *resource)
{
    return json_pack("{s:s, s:s, s:s}", "group", resource->group, "version", resource->version,
                     "kind", resource->kind);
}

// The schema of a kind: as Kubernetes has it, from its table, or the bare object with the common
// fields. Types that it refers to are added to `schemas`.
static json_t *schema_of_kind(struct store *store, const struct store_resource *resource,
                              json_t *schemas)
{
    const json_t *types = store_types(store);
    builtin_types_copy(types, "ObjectMeta", schemas);
    const char *type = builtin_types_name(types, resource);
    if (type != NULL) {
        builtin_types_copy(types, type, schemas);
        return NULL;
    }
    const struct kind *kind = resource_kind(resource);
    const json_t *defined = custom_schema_of(resource->definition);
    json_t *schema = defined != NULL ? json_deep_copy(defined)
                                     : schema_of_type(kind != NULL ? kind->type : NULL, 0);
    json_t *properties = child_object(schema, "properties");
    const json_t *common = json_object_get(
        json_object_get(json_object_get(types, "schemas"), "ConfigMap"), "properties");
    static const char *const fields[] = {"apiVersion", "kind", "metadata"};
    for (size_t i = 0; i < ARRAY_LENGTH(fields); i++)
        json_object_set(properties, fields[i], json_object_get(common, fields[i]));
    json_object_set_new(schema, "x-kubernetes-group-version-kind",
                        json_pack("[o]", group_version_kind(resource)));
    return schema;
}

static json_t *parameter(const char *name)
{
    return json_pack("{s:s, s:s, s:{s:s}}", "name", name, "in", "query", "schema", "type",
                     "string");
}

static json_t *operation(const struct store_resource *resource, const char *action)
{
    return json_pack("{s:[o, o, o], s:s, s:o, s:{}}", "parameters", parameter("dryRun"),
                     parameter("fieldManager"), parameter("fieldValidation"), "x-kubernetes-action",
                     action, "x-kubernetes-group-version-kind", group_version_kind(resource),
                     "responses");
}

static void add_paths(json_t *paths, const struct store_resource *resource)
{
    struct text text = {0};
    bool core = resource->group[0] == '\0';
    text_format(&text, "/%s%s%s/%s/%s%s", core ? "api" : "apis", core ? "" : "/", resource->group,
                resource->version, resource->namespaced ? "namespaces/{namespace}/" : "",
                resource->plural);
    json_object_set_new(paths, text.data, json_pack("{s:o}", "post", operation(resource, "post")));
    text_add(&text, "/{name}");
    json_object_set_new(paths, text.data,
                        json_pack("{s:o, s:o}", "put", operation(resource, "put"), "patch",
                                  operation(resource, "patch")));
    text_free(&text);
}

json_t *openapi_v3(struct store *store, const char *group, const char *version)
{
    json_t *paths = json_object(), *schemas = json_object();
    uint32_t count;
    const struct store_resource *resources = store_resources(store, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct store_resource *resource = &resources[i];
        if (strcmp(resource->group, group) != 0 || strcmp(resource->version, version) != 0 ||
            resource->withdrawn)
            continue;
        struct text name = {0};
        text_format(&name, "%s.%s.%s", group[0] != '\0' ? group : "core", version, resource->kind);
        json_t *schema = schema_of_kind(store, resource, schemas);
        if (schema != NULL)
            json_object_set_new(schemas, name.data, schema);
        text_free(&name);
        add_paths(paths, resource);
    }
    if (json_object_size(paths) == 0) {
        json_decref(paths);
        json_decref(schemas);
        return NULL;
    }
    return json_pack("{s:s, s:{s:s, s:s}, s:o, s:{s:o}}", "openapi", "3.0.0", "info", "title",
                     "Kubernetes", "version", "v1.36.0", "paths", paths, "components", "schemas",
                     schemas);
}

json_t *openapi_v3_index(struct store *store)
{
    json_t *paths = json_object();
    uint32_t count;
    const struct store_resource *resources = store_resources(store, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct store_resource *resource = &resources[i];
        bool core = resource->group[0] == '\0';
        if (resource->withdrawn)
            continue;
        struct text name = {0};
        text_format(&name, "%s%s%s/%s", core ? "api" : "apis", core ? "" : "/", resource->group,
                    resource->version);
        // The hash tells clients when to read again: it changes with the number of resources.
        json_object_set_new(paths, name.data,
                            json_pack("{s:o}", "serverRelativeURL",
                                      json_sprintf("/openapi/v3/%s?hash=%u", name.data, count)));
        text_free(&name);
    }
    return json_pack("{s:o}", "paths", paths);
}

json_t *openapi_v2(void)
{
    return json_pack("{s:s, s:{s:s, s:s}, s:{}, s:{}}", "swagger", "2.0", "info", "title",
                     "Kubernetes", "version", "v1.36.0", "paths", "definitions");
}

static void add_field(struct text *text, char number, const char *value)
{
    text_add_char(text, (char)(number << 3 | 2)); // a length and its bytes follow
    text_add_char(text, (char)strlen(value));     // below 128: one byte
    text_add(text, value);
}

char *openapi_v2_protobuf(void)
{
    struct text info = {0}, document = {0};
    add_field(&info, 1, "Kubernetes");
    add_field(&info, 2, "v1.36.0");
    add_field(&document, 1, "2.0");
    add_field(&document, 2, info.data);
    text_free(&info);
    return text_take(&document);
}
