#include "sim/store/builtin_types.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/store/store_json.h"

// The assembler includes the files unchanged; ADZE_DATA is the folder data/, given by the build.
__asm__(".section .rodata\n"
        ".global kubernetes_types\n"
        "kubernetes_types: .incbin \"" ADZE_DATA "/kubernetes/types.txt\"\n"
        ".byte 0\n"
        ".global kubernetes_descriptions\n"
        "kubernetes_descriptions: .incbin \"" ADZE_DATA "/kubernetes/descriptions.txt\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char kubernetes_types[], kubernetes_descriptions[];

// --- reading -------------------------------------------------------------------------------------

// "Type.field", "Type" or ".field" -> sentence
static json_t *read_descriptions(void)
{
    json_t *descriptions = json_object();
    for (const char *line = kubernetes_descriptions; *line != '\0';) {
        size_t length = strcspn(line, "\n"), key = strcspn(line, " \n");
        if (key < length)
            json_object_setn_new(descriptions, line, key,
                                 json_stringn(line + key + 1, length - key - 1));
        line += length + (line[length] == '\n');
    }
    return descriptions;
}

static json_t *simple_schema(char letter)
{
    static const struct {
        char letter;
        const char *type, *format;
    } simple[] = {{'s', "string", NULL},        {'y', "string", "byte"},
                  {'i', "integer", "int32"},    {'I', "integer", "int64"},
                  {'b', "boolean", NULL},       {'d', "number", "double"},
                  {'t', "string", "date-time"}, {'q', NULL, "quantity"},
                  {'o', NULL, "int-or-string"}, {'j', NULL, NULL}};
    for (size_t i = 0; i < ARRAY_LENGTH(simple); i++)
        if (simple[i].letter == letter) {
            json_t *schema = json_object();
            if (simple[i].type != NULL)
                json_object_set_new(schema, "type", json_string(simple[i].type));
            if (simple[i].format != NULL)
                json_object_set_new(schema, "format", json_string(simple[i].format));
            return schema;
        }
    return NULL;
}

static json_t *schema_of_text(const char *text)
{
    if (text[0] == '*')
        return json_pack("{s:s, s:o}", "type", "array", "items", schema_of_text(text + 1));
    if (text[0] == '{')
        return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                         schema_of_text(text + 1));
    json_t *simple = text[1] == '\0' ? simple_schema(text[0]) : NULL;
    return simple != NULL ? simple
                          : json_pack("{s:o}", "$ref", json_sprintf(TYPE_REFERENCE "%s", text));
}

static void add_description(json_t *schema, const json_t *descriptions, const char *type,
                            const char *field)
{
    char key[200];
    snprintf(key, sizeof key, "%s%s%s", type, field[0] != '\0' ? "." : "", field);
    json_t *text = json_object_get(descriptions, key);
    if (text == NULL && field[0] != '\0') {
        snprintf(key, sizeof key, ".%s", field);
        text = json_object_get(descriptions, key);
    }
    if (text == NULL)
        return;
    if (json_object_get(schema, "$ref") != NULL) { // nothing may stand beside a reference
        json_t *reference = json_incref(json_object_get(schema, "$ref"));
        json_object_clear(schema);
        json_object_set_new(schema, "allOf", json_pack("[{s:o}]", "$ref", reference));
    }
    json_object_set(schema, "description", text);
}

// " NAME TYPE" or " NAME TYPE!"
static void read_field(json_t *schema, const json_t *descriptions, const char *type, char *line)
{
    char *space = strchr(line, ' ');
    assert(space != NULL);
    *space = '\0';
    char *text = space + 1;
    size_t length = strlen(text);
    bool required = text[length - 1] == '!';
    if (required)
        text[length - 1] = '\0';
    json_t *field = schema_of_text(text);
    add_description(field, descriptions, type, line);
    json_object_set_new(json_object_get(schema, "properties"), line, field);
    if (!required)
        return;
    if (json_object_get(schema, "required") == NULL)
        json_object_set_new(schema, "required", json_array());
    json_array_append_new(json_object_get(schema, "required"), json_string(line));
}

// "NAME" or "NAME GROUP/VERSION KIND". Returns the type's schema, borrowed.
static json_t *read_type(json_t *types, const json_t *descriptions, char *line)
{
    char *name = strsep(&line, " "), *version = strsep(&line, " "), *kind = line;
    json_t *schema = json_pack("{s:s, s:{}}", "type", "object", "properties");
    add_description(schema, descriptions, name, "");
    json_object_set_new(json_object_get(types, "schemas"), name, schema);
    if (version == NULL || kind == NULL)
        return schema;
    const char *group = strsep(&version, "/");
    char key[200];
    if (strcmp(group, "core") == 0)
        group = "";
    snprintf(key, sizeof key, "%s/%s/%s", group, version, kind);
    json_object_set_new(json_object_get(types, "kinds"), key, json_string(name));
    json_object_set_new(
        schema, "x-kubernetes-group-version-kind",
        json_pack("[{s:s, s:s, s:s}]", "group", group, "version", version, "kind", kind));
    return schema;
}

json_t *builtin_types_create(void)
{
    json_t *types = json_pack("{s:{}, s:{}}", "schemas", "kinds");
    json_t *descriptions = read_descriptions(), *schema = NULL;
    CLEANUP_FREE char *text = memory_copy_string(kubernetes_types);
    char *rest = text, *line;
    char type[120] = "";
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (line[0] == ' ') {
            read_field(schema, descriptions, type, line + 1);
        } else if (line[0] != '\0') {
            snprintf(type, sizeof type, "%.*s", (int)strcspn(line, " "), line);
            schema = read_type(types, descriptions, line);
        }
    }
    json_decref(descriptions);
    return types;
}

// --- looking up ----------------------------------------------------------------------------------

const char *builtin_types_name(const json_t *types, const struct store_resource *resource)
{
    char key[300];
    snprintf(key, sizeof key, "%s/%s/%s", resource->group, resource->version, resource->kind);
    return resource->custom ? NULL : string_at(json_object_get(types, "kinds"), key);
}

json_t *builtin_types_kind(const json_t *types, const struct store_resource *resource)
{
    const char *name = builtin_types_name(types, resource);
    return name != NULL ? json_object_get(json_object_get(types, "schemas"), name) : NULL;
}

static const char *referred(const json_t *schema)
{
    const char *reference = string_at(schema, "$ref");
    if (reference == NULL)
        reference = string_at(json_array_get(json_object_get(schema, "allOf"), 0), "$ref");
    return reference != NULL ? reference + strlen(TYPE_REFERENCE) : NULL;
}

const json_t *builtin_types_follow(const json_t *types, const json_t *schema)
{
    const char *type = referred(schema);
    return type != NULL ? json_object_get(json_object_get(types, "schemas"), type) : schema;
}

void builtin_types_copy(const json_t *types, const char *type, json_t *schemas)
{
    json_t *schema = json_object_get(json_object_get(types, "schemas"), type);
    if (schema == NULL || json_object_get(schemas, type) != NULL)
        return;
    json_object_set(schemas, type, schema);
    const char *name;
    json_t *field;
    json_object_foreach (json_object_get(schema, "properties"), name, field) {
        const json_t *inner = field;
        while (json_object_get(inner, "items") != NULL ||
               json_object_get(inner, "additionalProperties") != NULL) {
            const json_t *items = json_object_get(inner, "items");
            inner = items != NULL ? items : json_object_get(inner, "additionalProperties");
        }
        if (referred(inner) != NULL)
            builtin_types_copy(types, referred(inner), schemas);
    }
}
