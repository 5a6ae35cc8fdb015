#include "sim/printing/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/schema/type.h"
#include "sim/printing/printers.h"
#include "sim/store/resources.h"
#include "sim/store/store_internal.h"

// --- JSONPath ------------------------------------------------------------------------------------

// ".name" with backslashes before dots. Returns the rest of the path, or NULL.
static const char *path_name(const char *path, char *name, size_t size)
{
    size_t length = 0;
    while (path[0] != '\0' && path[0] != '.' && path[0] != '[') {
        if (path[0] == '\\' && path[1] != '\0')
            path++;
        if (length + 1 == size)
            return NULL;
        name[length++] = *path++;
    }
    name[length] = '\0';
    return path;
}

// "?(@.key=="text")": the first element of the list that fits.
static json_t *path_filter(const json_t *list, const char *filter, size_t length)
{
    char key[100], text[200];
    char copy[320];
    if (length >= sizeof copy)
        return NULL;
    memcpy(copy, filter, length);
    copy[length] = '\0';
    if (sscanf(copy, "?(@.%99[^=]==%*1[\"']%199[^\"']", key, text) != 2)
        return NULL;
    size_t i;
    json_t *element;
    json_array_foreach (list, i, element) {
        const char *value = json_string_value(store_path(element, key));
        if (value != NULL && strcmp(value, text) == 0)
            return element;
    }
    return NULL;
}

static json_t *path_bracket(const json_t *value, const char *inside, size_t length)
{
    int64_t number;
    CLEANUP_FREE char *text = memory_allocate(length + 1);
    memcpy(text, inside, length);
    if (length > 0 && inside[0] == '?')
        return path_filter(value, inside, length);
    if (length >= 2 && (inside[0] == '\'' || inside[0] == '"'))
        return json_object_getn(value, inside + 1, length - 2);
    if (strcmp(text, "*") == 0)
        return json_array_get(value, 0);
    if (text_parse_int64(text, &number) && number >= 0)
        return json_array_get(value, (size_t)number);
    return NULL;
}

json_t *json_path_first(const json_t *object, const char *path)
{
    const json_t *value = object;
    while (path != NULL && path[0] != '\0' && value != NULL) {
        if (path[0] == '[') {
            const char *end = strchr(path, ']');
            if (end == NULL)
                return NULL;
            value = path_bracket(value, path + 1, (size_t)(end - path - 1));
            path = end + 1;
            continue;
        }
        char name[300];
        path = path_name(path[0] == '.' ? path + 1 : path, name, sizeof name);
        if (path != NULL && name[0] != '\0')
            value = json_object_get(value, name);
    }
    return path != NULL ? (json_t *)value : NULL;
}

// --- columns -------------------------------------------------------------------------------------

static json_t *definition(const char *name, const char *type, const char *description, int priority)
{
    bool is_name = strcmp(name, "Name") == 0;
    return json_pack("{s:s, s:s, s:s, s:s, s:i}", "name", name, "type", type, "format",
                     is_name ? "name" : "", "description", description != NULL ? description : "",
                     "priority", priority);
}

static json_t *builtin_columns(const struct printer *printers)
{
    json_t *columns = json_array();
    for (; printers->name != NULL; printers++)
        json_array_append_new(columns,
                              definition(printers->name, printers->type, NULL, printers->priority));
    return columns;
}

static json_t *custom_columns(const struct custom_kind *facts)
{
    json_t *columns = json_array();
    json_array_append_new(columns, definition("Name", "string", NULL, 0));
    for (uint32_t i = 0; facts != NULL && i < facts->columns_count; i++)
        json_array_append_new(
            columns, definition(facts->columns[i].name, facts->columns[i].column_type,
                                facts->columns[i].description, facts->columns[i].priority));
    if (facts == NULL || facts->columns_count == 0)
        json_array_append_new(columns, definition("Age", "date", NULL, 0));
    return columns;
}

static json_t *custom_cell(const struct printer_column *column, const json_t *object,
                           int64_t now_ns)
{
    json_t *value = json_path_first(object, column->json_path);
    if (value == NULL || json_is_null(value))
        return json_null();
    if (strcmp(column->column_type, "date") == 0)
        return cell_since(json_string_value(value), now_ns);
    if (strcmp(column->column_type, "string") == 0 && !json_is_string(value)) {
        CLEANUP_FREE char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        return json_string(text);
    }
    return json_incref(value);
}

static json_t *custom_cells(const struct custom_kind *facts, const json_t *object, int64_t now_ns)
{
    json_t *cells = json_array();
    json_array_append_new(cells, cell_name(object, now_ns));
    for (uint32_t i = 0; facts != NULL && i < facts->columns_count; i++)
        json_array_append_new(cells, custom_cell(&facts->columns[i], object, now_ns));
    if (facts == NULL || facts->columns_count == 0)
        json_array_append_new(cells, cell_age(object, now_ns));
    return cells;
}

static json_t *builtin_cells(const struct printer *printers, const json_t *object, int64_t now_ns)
{
    json_t *cells = json_array();
    for (; printers->name != NULL; printers++) {
        json_t *cell = printers->cell(object, now_ns);
        json_array_append_new(cells, cell != NULL ? cell : json_string("<none>"));
    }
    return cells;
}

static const struct custom_kind *facts_of(const struct store_resource *resource)
{
    const struct kind *kind = resource->custom ? resource_kind(resource) : NULL;
    return kind != NULL ? kind->custom_facts : NULL;
}

// The columns of a definition made at run time; NULL: the age alone.
static const json_t *defined_columns(const struct store_resource *resource)
{
    const json_t *columns = json_object_get(resource->definition, "additionalPrinterColumns");
    return json_array_size(columns) > 0 ? columns : NULL;
}

static json_t *defined_definitions(const json_t *columns)
{
    json_t *definitions = json_array();
    size_t i;
    json_t *column;
    json_array_append_new(definitions, definition("Name", "string", NULL, 0));
    json_array_foreach (columns, i, column) {
        const char *name = string_at(column, "name"), *type = string_at(column, "type");
        json_array_append_new(
            definitions, definition(name != NULL ? name : "", type != NULL ? type : "string",
                                    string_at(column, "description"),
                                    (int)json_integer_value(json_object_get(column, "priority"))));
    }
    return definitions;
}

static json_t *defined_cells(const json_t *columns, const json_t *object, int64_t now_ns)
{
    json_t *cells = json_array();
    size_t i;
    json_t *column;
    json_array_append_new(cells, cell_name(object, now_ns));
    json_array_foreach (columns, i, column) {
        const char *type = string_at(column, "type");
        const struct printer_column facts = {.column_type = type != NULL ? type : "string",
                                             .json_path = string_at(column, "jsonPath")};
        json_array_append_new(cells, custom_cell(&facts, object, now_ns));
    }
    return cells;
}

// --- tables --------------------------------------------------------------------------------------

static json_t *row_of(const struct store_resource *resource, json_t *object,
                      const char *include_object, int64_t now_ns)
{
    const struct printer *printers = printers_of(resource);
    const json_t *defined = defined_columns(resource);
    json_t *cells = printers != NULL  ? builtin_cells(printers, object, now_ns)
                    : defined != NULL ? defined_cells(defined, object, now_ns)
                                      : custom_cells(facts_of(resource), object, now_ns);
    json_t *row = json_pack("{s:o}", "cells", cells);
    if (include_object != NULL && strcmp(include_object, "None") == 0)
        return row;
    if (include_object != NULL && strcmp(include_object, "Object") == 0)
        json_object_set(row, "object", object);
    else
        json_object_set_new(row, "object",
                            json_pack("{s:s, s:s, s:O}", "kind", "PartialObjectMetadata",
                                      "apiVersion", "meta.k8s.io/v1", "metadata",
                                      json_object_get(object, "metadata")));
    return row;
}

static json_t *table_create(const struct store_resource *resource, json_t *metadata, json_t *rows,
                            bool with_columns)
{
    const struct printer *printers = printers_of(resource);
    const json_t *defined = defined_columns(resource);
    json_t *columns = !with_columns      ? json_array()
                      : printers != NULL ? builtin_columns(printers)
                      : defined != NULL  ? defined_definitions(defined)
                                         : custom_columns(facts_of(resource));
    return json_pack("{s:s, s:s, s:O, s:o, s:o}", "kind", "Table", "apiVersion", "meta.k8s.io/v1",
                     "metadata", metadata, "columnDefinitions", columns, "rows", rows);
}

json_t *table_of_list(const struct store_resource *resource, const json_t *list,
                      const char *include_object, int64_t now_ns)
{
    json_t *rows = json_array();
    size_t i;
    json_t *object;
    json_array_foreach (json_object_get(list, "items"), i, object) {
        json_array_append_new(rows, row_of(resource, object, include_object, now_ns));
    }
    return table_create(resource, json_object_get(list, "metadata"), rows, true);
}

json_t *table_of_object(const struct store_resource *resource, json_t *object,
                        const char *include_object, int64_t now_ns, bool with_columns)
{
    json_t *rows = json_array();
    json_array_append_new(rows, row_of(resource, object, include_object, now_ns));
    json_t *metadata =
        json_pack("{s:O?}", "resourceVersion",
                  json_object_get(json_object_get(object, "metadata"), "resourceVersion"));
    json_t *table = table_create(resource, metadata, rows, with_columns);
    json_decref(metadata);
    return table;
}
