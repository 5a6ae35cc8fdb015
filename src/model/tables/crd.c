#include "model/tables/crd.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/schema/form.h"
#include "model/schema/schema.h"
#include "model/schema/tables.h"

static json_t *encode_names(const struct kind *kind);
static json_t *encode_version(const struct kind *kind, const char *name, bool stored,
                              const struct crd_options *options);
static json_t *encode_columns(const struct custom_kind *facts);
static json_t *encode_subresources(const struct custom_kind *facts);
static json_t *encode_field(const struct field *field, const struct crd_options *options);
static void add_object(json_t *schema, const struct type *type, const struct crd_options *options);
static void add_rules(json_t *schema, const struct rule *rules, uint32_t count,
                      const struct crd_options *options);

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL)
        set(object, key, json_string(text));
}

json_t *crd_encode(const struct kind *kind, const struct crd_options *options)
{
    assert(kind->custom);
    assert(kind->custom_facts != NULL);
    json_t *definition = json_object(), *metadata = json_object(), *spec = json_object();
    json_t *versions = json_array();
    char name[200];
    snprintf(name, sizeof name, "%s.%s", kind->plural, kind->group);
    set_text(definition, "apiVersion", "apiextensions.k8s.io/v1");
    set_text(definition, "kind", "CustomResourceDefinition");
    set_text(metadata, "name", name);
    set(definition, "metadata", metadata);
    set_text(spec, "group", kind->group);
    set(spec, "names", encode_names(kind));
    set_text(spec, "scope", kind->namespaced ? "Namespaced" : "Cluster");
    json_array_append_new(versions, encode_version(kind, kind->version, true, options));
    const char *older = kind->custom_facts->older_version;
    if (older != NULL) // LIF-466
        json_array_append_new(versions, encode_version(kind, older, false, options));
    set(spec, "versions", versions);
    set(definition, "spec", spec);
    return definition;
}

static json_t *crd_schema(const struct kind *kind, const struct crd_options *options)
{
    json_t *schema = json_object();
    set_text(schema, "description", kind->type->documentation);
    set_text(schema, "type", "object");
    add_object(schema, kind->type, options);
    json_t *properties = json_object_get(schema, "properties");
    set(properties, "apiVersion", json_pack("{s:s}", "type", "string"));
    set(properties, "kind", json_pack("{s:s}", "type", "string"));
    set(properties, "metadata", json_pack("{s:s}", "type", "object"));
    return schema;
}

// --- around the schema ---------------------------------------------------------------------------
static json_t *encode_names(const struct kind *kind)
{
    const struct custom_kind *facts = kind->custom_facts;
    json_t *names = json_object(), *short_names = json_array();
    char list_kind[100];
    snprintf(list_kind, sizeof list_kind, "%sList", kind->name);
    set(names, "categories", json_pack("[s]", facts->category));
    set_text(names, "kind", kind->name);
    set_text(names, "listKind", list_kind);
    set_text(names, "plural", kind->plural);
    for (size_t i = 0; facts->short_names != NULL && facts->short_names[i] != NULL; i++)
        json_array_append_new(short_names, json_string(facts->short_names[i]));
    if (json_array_size(short_names) > 0)
        json_object_set(names, "shortNames", short_names);
    json_decref(short_names);
    set_text(names, "singular", kind->singular);
    return names;
}

static json_t *encode_version(const struct kind *kind, const char *name, bool stored,
                              const struct crd_options *options)
{
    const struct custom_kind *facts = kind->custom_facts;
    json_t *version = json_object(), *schema = json_object();
    if (facts->columns_count > 0)
        set(version, "additionalPrinterColumns", encode_columns(facts));
    set_text(version, "name", name);
    set(schema, "openAPIV3Schema", crd_schema(kind, options));
    set(version, "schema", schema);
    set(version, "served", json_true());
    set(version, "storage", json_boolean(stored));
    set(version, "subresources", encode_subresources(facts));
    return version;
}

static json_t *encode_columns(const struct custom_kind *facts)
{
    json_t *columns = json_array();
    for (uint32_t i = 0; i < facts->columns_count; i++) {
        const struct printer_column *column = &facts->columns[i];
        json_t *json = json_object();
        set_text(json, "description", column->description);
        set_text(json, "jsonPath", column->json_path);
        set_text(json, "name", column->name);
        if (column->priority != 0)
            set(json, "priority", json_integer(column->priority));
        set_text(json, "type", column->column_type);
        json_array_append_new(columns, json);
    }
    return columns;
}

static json_t *encode_subresources(const struct custom_kind *facts)
{
    json_t *subresources = json_object(), *scale = json_object();
    set_text(scale, "specReplicasPath", facts->scale_spec_path);
    set_text(scale, "statusReplicasPath", facts->scale_status_path);
    if (json_object_size(scale) > 0)
        json_object_set(subresources, "scale", scale);
    json_decref(scale);
    if (facts->status_subresource)
        set(subresources, "status", json_object());
    return subresources;
}

// --- the schema ----------------------------------------------------------------------------------
static void add_text_bounds(json_t *schema, const struct field *field)
{
    if (field->min_length > 0)
        set(schema, "minLength", json_integer(field->min_length));
    if (field->max_length > 0)
        set(schema, "maxLength", json_integer(field->max_length));
    set_text(schema, "pattern", field->pattern);
    if (field->enum_values == NULL)
        return;
    json_t *values = json_array();
    for (size_t i = 0; field->enum_values[i] != NULL; i++)
        json_array_append_new(values, json_string(field->enum_values[i]));
    set(schema, "enum", values);
}

static void add_number(json_t *schema, const struct field *field, const char *format)
{
    set_text(schema, "type", "integer");
    set_text(schema, "format", format);
    if (field->flags & FIELD_HAS_MINIMUM)
        set(schema, "minimum", json_integer(field->minimum));
    if (field->flags & FIELD_HAS_MAXIMUM)
        set(schema, "maximum", json_integer(field->maximum));
}

static void add_int_or_string(json_t *schema, const char *pattern)
{
    set(schema, "anyOf", json_pack("[{s:s},{s:s}]", "type", "integer", "type", "string"));
    set_text(schema, "pattern", pattern);
    set(schema, "x-kubernetes-int-or-string", json_true());
}

static void add_list(json_t *schema, const struct field *field, const struct crd_options *options)
{
    json_t *items = json_object();
    set_text(schema, "type", "array");
    if (field->kind == FIELD_LIST) {
        set_text(items, "description", field->type->documentation);
        set_text(items, "type", "object");
        add_object(items, field->type, options);
    } else {
        set_text(items, "type", "string");
        add_text_bounds(items, field);
    }
    add_rules(items, field->item_rules, field->item_rules_count, options);
    set(schema, "items", items);
    if (field->min_items > 0)
        set(schema, "minItems", json_integer(field->min_items));
    if (field->max_items > 0)
        set(schema, "maxItems", json_integer(field->max_items));
    if (field->flags & FIELD_LIST_MAP)
        set(schema, "x-kubernetes-list-map-keys", json_pack("[s]", field->list_key));
    set_text(schema, "x-kubernetes-list-type",
             (field->flags & FIELD_LIST_MAP)      ? "map"
             : (field->flags & FIELD_LIST_SET)    ? "set"
             : (field->flags & FIELD_LIST_ATOMIC) ? "atomic"
                                                  : NULL);
}

static void add_map(json_t *schema, const struct field *field, const struct crd_options *options)
{
    json_t *values = json_object();
    set_text(schema, "type", "object");
    if (field->kind == FIELD_RESOURCE_MAP) {
        add_int_or_string(values, PATTERN_QUANTITY);
    } else {
        set_text(values, "type", "string");
        add_text_bounds(values, field);
    }
    add_rules(values, field->item_rules, field->item_rules_count, options);
    set(schema, "additionalProperties", values);
    if (field->max_items > 0)
        set(schema, "maxProperties", json_integer(field->max_items));
    set_text(schema, "x-kubernetes-map-type",
             (field->flags & FIELD_MAP_ATOMIC)     ? "atomic"
             : (field->flags & FIELD_MAP_GRANULAR) ? "granular"
                                                   : NULL);
}

static void add_free_form(json_t *schema)
{
    json_t *values = json_object();
    set_text(schema, "type", "object");
    set(values, "x-kubernetes-preserve-unknown-fields", json_true());
    set(schema, "additionalProperties", values);
    set(schema, "x-kubernetes-preserve-unknown-fields", json_true());
}

static void add_kind(json_t *schema, const struct field *field, const struct crd_options *options)
{
    switch (field->kind) {
    case FIELD_STRING:
    case FIELD_DURATION:
        set_text(schema, "type", "string");
        set_text(schema, "format", field->format);
        add_text_bounds(schema, field);
        break;
    case FIELD_TIME:
    case FIELD_MICRO_TIME:
        set_text(schema, "type", "string");
        set_text(schema, "format", "date-time");
        break;
    case FIELD_BOOL:
    case FIELD_OPTIONAL_BOOL:
        set_text(schema, "type", "boolean");
        break;
    case FIELD_INT:
    case FIELD_OPTIONAL_INT:
        add_number(schema, field, "int64");
        break;
    case FIELD_INT32:
    case FIELD_OPTIONAL_INT32:
        add_number(schema, field, "int32");
        break;
    case FIELD_INT_OR_STRING:
        add_int_or_string(schema, field->pattern);
        break;
    case FIELD_PRICE:
        set_text(schema, "type", "number");
        break;
    case FIELD_OBJECT:
    case FIELD_POINTER:
        set_text(schema, "type", "object");
        add_object(schema, field->type, options);
        break;
    case FIELD_LIST:
    case FIELD_STRING_LIST:
        add_list(schema, field, options);
        break;
    case FIELD_STRING_MAP:
    case FIELD_RESOURCE_MAP:
        add_map(schema, field, options);
        break;
    case FIELD_JSON:
        add_free_form(schema);
        break;
    }
}

static json_t *encode_field(const struct field *field, const struct crd_options *options)
{
    json_t *schema = json_object();
    if (field->default_json != NULL)
        set(schema, "default", field_default(field, false));
    set_text(schema, "description", field->documentation);
    add_kind(schema, field, options);
    add_rules(schema, field->rules, field->rules_count, options);
    return schema;
}

static void add_object(json_t *schema, const struct type *type, const struct crd_options *options)
{
    json_t *properties = json_object(), *required = json_array();
    for (uint32_t i = 0; i < type->fields_count; i++) {
        const struct field *field = &type->fields[i];
        if ((field->flags & FIELD_AWS_ONLY) && options->core)
            continue;
        if (strcmp(field->name, "metadata") == 0 && field->type == &type_object_meta)
            continue; // filled in by the API server
        set(properties, field->name, encode_field(field, options));
        if (field_is_required(field, false))
            json_array_append_new(required, json_string(field->name));
    }
    set(schema, "properties", properties);
    if (json_array_size(required) > 0)
        json_object_set(schema, "required", required);
    json_decref(required);
    add_rules(schema, type->rules, type->rules_count, options);
}

// --- rules ---------------------------------------------------------------------------------------
#define LIST_MARK "@LIST@"

static json_t *expression(const struct rule *rule)
{
    const char *mark = strstr(rule->expression, LIST_MARK);
    if (mark == NULL)
        return json_string(rule->expression);
    struct text text = {0};
    text_add_bytes(&text, rule->expression, (size_t)(mark - rule->expression));
    text_add_char(&text, '[');
    for (size_t i = 0; rule->arguments[i] != NULL; i++)
        text_format(&text, "%s'%s'", i > 0 ? ", " : "", rule->arguments[i]);
    text_format(&text, "]%s", mark + strlen(LIST_MARK));
    json_t *json = json_string(text.data);
    text_free(&text);
    return json;
}

// A node may have rules of its type and rules of its row.
static void add_rules(json_t *schema, const struct rule *rules, uint32_t count,
                      const struct crd_options *options)
{
    json_t *validations = json_object_get(schema, "x-kubernetes-validations");
    for (const struct rule *rule = rules; rule < rules + count; rule++) {
        if (rule->aws_only && options->core)
            continue;
        if (validations == NULL) {
            validations = json_array();
            set(schema, "x-kubernetes-validations", validations);
        }
        json_t *json = json_object();
        set_text(json, "message", rule->message);
        set(json, "rule", expression(rule));
        json_array_append_new(validations, json);
    }
}
