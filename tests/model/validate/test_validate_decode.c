// Decoding and validation walk the same tables separately (model/schema/form.h): both accept or
// both refuse any value at any place, except for intended differences. And the CRDs agree on each
// field.
#include "model/helpers.h"

#include "base/text.h"
#include "model/schema/form.h"
#include "model/tables/crd.h"
#include "model/validate/validate.h"

#define DEPTH_MAX 12

static const char *const values[] = {
    "true",
    "0",
    "1",
    "1.0",
    "1.5",
    "-3000000000",
    "3000000000",
    "1e300",
    "\"\"",
    "\"1\"",
    "\"x\"",
    "\"5m\"",
    "\"Never\"",
    "\"16Gi\"",
    "\"1d\"",
    "{}",
    "[]",
    "[null]",
    "[1]",
    "[[]]",
    "[{}]",
    "[\"a\"]",
    "null",
    "{\"a\":null}",
    "{\"a\":1}",
    "{\"a\":[]}",
    "{\"a/b\":\"c\"}",
    "{\"it's\":true,\"a \\\"b\\\\\":{}}",
    "\"2026-01-31T12:00:00Z\"",
    "\"2026-01-31\"",
    "\"0001-01-01T00:00:00Z\"",
};

struct attempt {
    const struct kind *kind;
    json_t *document;
    const struct field *field; // that has the value
    const char *value;
    bool in_status;
};

// Intended differences (form.h).
static bool may_differ(const struct attempt *attempt)
{
    switch ((int)attempt->field->kind) {
    case FIELD_INT_OR_STRING: // API servers store values over 32 bits
        return strstr(attempt->value, "3000000000") != NULL;
    case FIELD_RESOURCE_MAP: // files may have fractions
        return strcmp(attempt->value, "1.5") == 0 || strcmp(attempt->value, "1e300") == 0;
    case FIELD_PRICE: // and catalogs prices as texts
        return attempt->value[0] == '"';
    case FIELD_JSON: // free: kept as text
        return true;
    default:
        return false;
    }
}

static bool is_refused_at(const struct findings *findings, const char *path, size_t length)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->items[i].level == FINDING_REFUSED &&
            strlen(findings->items[i].path) == length &&
            memcmp(findings->items[i].path, path, length) == 0)
            return true;
    return false;
}

// The first finding of a wrong form.
static const struct finding *wrong_form(const struct findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (text_starts_with(findings->items[i].message, "must be ") &&
            strstr(findings->items[i].message, ", not ") != NULL)
            return &findings->items[i];
    return NULL;
}

static void compare(const struct attempt *attempt)
{
    struct validate_options options = {.status_written = attempt->in_status};
    struct findings findings = {0};
    struct error error = {0};
    validate_object(attempt->kind, attempt->document, NULL, &options, &findings, NULL);
    CLEANUP_OBJECT struct object *object =
        object_decode(attempt->document, attempt->kind, DECODE_LENIENT, &error);
    const struct finding *finding = wrong_form(&findings);
    if (object == NULL && !may_differ(attempt) &&
        !is_refused_at(&findings, error.message, error.path_length))
        fail_msg("%s %s: not refused, but does not decode: %s", attempt->kind->name, attempt->value,
                 error.message);
    if (object != NULL && !may_differ(attempt) && finding != NULL)
        fail_msg("%s %s: decodes, but is refused: %s: %s", attempt->kind->name, attempt->value,
                 finding->path, finding->message);
    // In strict mode, both refuse an unknown field.
    object_release(object);
    error = (struct error){0};
    object = object_decode(attempt->document, attempt->kind, DECODE_STRICT, &error);
    if (object == NULL && strstr(error.message, ": unknown field") != NULL)
        assert_true(is_refused_at(&findings, error.message, error.path_length));
    findings_free(&findings);
}

static json_t *parse(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    return value;
}

static void try_field(struct attempt *attempt, json_t *object, const struct field *field)
{
    bool is_list = field->kind == FIELD_LIST || field->kind == FIELD_STRING_LIST;
    bool is_map = field->kind == FIELD_STRING_MAP || field->kind == FIELD_RESOURCE_MAP;
    attempt->field = field;
    for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
        attempt->value = values[i];
        json_object_set_new(object, field->name, parse(values[i]));
        compare(attempt);
        if (is_list)
            json_object_set_new(object, field->name, json_pack("[o]", parse(values[i])));
        else if (is_map)
            json_object_set_new(object, field->name, json_pack("{s:o}", "a/b", parse(values[i])));
        else
            continue;
        compare(attempt);
    }
    json_object_del(object, field->name);
}

static void try_type(struct attempt *attempt, json_t *object, const struct type *type,
                     unsigned depth)
{
    assert_true(depth < DEPTH_MAX);
    for (uint32_t i = 0; i < type->fields_count; i++) {
        const struct field *field = &type->fields[i];
        bool is_metadata = depth == 0 && strcmp(field->name, "metadata") == 0;
        if ((field->flags & FIELD_SCHEMA_ONLY) || is_metadata) // unread; checked by separate rules
            continue;
        if (depth == 0)
            attempt->in_status = strcmp(field->name, "status") == 0;
        try_field(attempt, object, field);
        if (field->kind != FIELD_OBJECT && field->kind != FIELD_POINTER &&
            field->kind != FIELD_LIST)
            continue;
        json_t *child = json_object();
        json_object_set_new(object, field->name,
                            field->kind == FIELD_LIST ? json_pack("[O]", child)
                                                      : json_incref(child));
        try_type(attempt, child, field->type, depth + 1);
        json_decref(child);
        json_object_del(object, field->name);
    }
}

static void what_is_admitted_decodes_API_10(void **state)
{
    (void)state;
    for (int id = 0; id < KIND_COUNT; id++) {
        const struct kind *kind = kind_get((enum kind_id)id);
        if (!kind->custom)
            continue;
        struct attempt attempt = {.kind = kind};
        attempt.document = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", kind->api_version, "kind",
                                     kind->name, "metadata", "name", "a");
        try_type(&attempt, attempt.document, kind->type, 0);
        json_decref(attempt.document);
    }
}

// --- the CRDs ------------------------------------------------------------------------------------
// The JSON types that a schema admits, as in struct json_form.
static unsigned types_of_schema(const json_t *schema)
{
    static const struct {
        const char *type;
        unsigned types;
    } rows[] = {
        {"object", 1U << JSON_OBJECT},
        {"array", 1U << JSON_ARRAY},
        {"string", 1U << JSON_STRING},
        {"integer", 1U << JSON_INTEGER},
        {"number", 1U << JSON_INTEGER | 1U << JSON_REAL},
        {"boolean", 1U << JSON_TRUE | 1U << JSON_FALSE},
    };
    if (json_is_true(json_object_get(schema, "x-kubernetes-int-or-string")))
        return 1U << JSON_INTEGER | 1U << JSON_STRING;
    const char *type = json_string_value(json_object_get(schema, "type"));
    for (size_t i = 0; type != NULL && i < ARRAY_LENGTH(rows); i++)
        if (strcmp(rows[i].type, type) == 0)
            return rows[i].types;
    return 0;
}

static void compare_schema(const json_t *schema, const struct type *type, bool is_root)
{
    for (uint32_t i = 0; i < type->fields_count; i++) {
        const struct field *field = &type->fields[i];
        const json_t *member = json_object_get(json_object_get(schema, "properties"), field->name);
        if (is_root && strcmp(field->name, "metadata") == 0) // the API server's own
            continue;
        const json_t *items = json_object_get(member, "items");
        if (items == NULL)
            items = json_object_get(member, "additionalProperties");
        if (types_of_schema(member) != form_of(field)->stored)
            fail_msg("%s.%s", type->name, field->name);
        if (items != NULL && field->kind != FIELD_JSON)
            assert_int_equal(types_of_schema(items), form_of_items(field)->stored);
        if (field->type != NULL)
            compare_schema(field->kind == FIELD_LIST ? items : member, field->type, false);
    }
}

static void the_CRDs_admit_what_validation_admits_API_1(void **state)
{
    (void)state;
    for (int id = 0; id < KIND_COUNT; id++) {
        const struct kind *kind = kind_get((enum kind_id)id);
        if (!kind->custom)
            continue;
        json_t *definition = crd_encode(kind, &(struct crd_options){0});
        const json_t *versions = json_object_get(json_object_get(definition, "spec"), "versions");
        const json_t *schema = json_object_get(json_array_get(versions, 0), "schema");
        compare_schema(json_object_get(schema, "openAPIV3Schema"), kind->type, true);
        json_decref(definition);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_CRDs_admit_what_validation_admits_API_1),
        cmocka_unit_test(what_is_admitted_decodes_API_10),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
