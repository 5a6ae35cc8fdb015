#include "model/schema/form.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

#define OBJECT    (1U << JSON_OBJECT)
#define ARRAY     (1U << JSON_ARRAY)
#define STRING    (1U << JSON_STRING)
#define INTEGER   (1U << JSON_INTEGER)
#define REAL      (1U << JSON_REAL)
#define BOOLEAN   (1U << JSON_TRUE | 1U << JSON_FALSE)
#define ANY       (OBJECT | ARRAY | STRING | INTEGER | REAL | BOOLEAN | 1U << JSON_NULL)
#define NAMES_MAX 256 // fields of one type compared with a misspelt one

#define FORM_STRING                                   \
    {                                                 \
        STRING, STRING, false, "a string", "a string" \
    }
#define FORM_BOOLEAN                                          \
    {                                                         \
        BOOLEAN, BOOLEAN, false, "a boolean", "true or false" \
    }
#define FORM_OBJECT                                     \
    {                                                   \
        OBJECT, OBJECT, false, "an object", "an object" \
    }
#define FORM_LIST                               \
    {                                           \
        ARRAY, ARRAY, false, "a list", "a list" \
    }
// 1.0 is a whole number: validation has written it as 1 before the check.
#define FORM_INTEGER(narrow)                                            \
    {                                                                   \
        INTEGER, INTEGER | REAL, narrow, "an integer", "a whole number" \
    }

const struct json_form json_forms[] = {
    [FIELD_STRING] = FORM_STRING,
    [FIELD_BOOL] = FORM_BOOLEAN,
    [FIELD_OPTIONAL_BOOL] = FORM_BOOLEAN,
    [FIELD_INT] = FORM_INTEGER(false),
    [FIELD_INT32] = FORM_INTEGER(true),
    [FIELD_OPTIONAL_INT] = FORM_INTEGER(false),
    [FIELD_OPTIONAL_INT32] = FORM_INTEGER(true),
    [FIELD_INT_OR_STRING] = {INTEGER | STRING, INTEGER | REAL | STRING, true,
                             "an integer or a string", "a whole number or a string"},
    [FIELD_DURATION] = FORM_STRING,
    [FIELD_TIME] = FORM_STRING,
    [FIELD_MICRO_TIME] = FORM_STRING,
    // Catalogs may have prices as exact text.
    [FIELD_PRICE] = {INTEGER | REAL, INTEGER | REAL | STRING, false, "a number", "a number"},
    [FIELD_OBJECT] = FORM_OBJECT,
    [FIELD_POINTER] = FORM_OBJECT,
    [FIELD_LIST] = FORM_LIST,
    [FIELD_STRING_LIST] = FORM_LIST,
    [FIELD_STRING_MAP] = FORM_OBJECT,
    [FIELD_RESOURCE_MAP] = FORM_OBJECT,
    // Kept as text; its reader checks it.
    [FIELD_JSON] = {OBJECT, ANY, false, "a value", "an object"},
};
const struct json_form json_form_array = {ARRAY, ANY, false, "a value", "a list"};
// Files may have fractions: cpu: 1.5.
const struct json_form json_form_quantity = {INTEGER | STRING, INTEGER | REAL | STRING, false,
                                             "a quantity", "a quantity"};

const struct json_form *form_of_items(const struct field *field)
{
    if (field->kind == FIELD_LIST)
        return &json_forms[FIELD_OBJECT];
    if (field->kind == FIELD_RESOURCE_MAP)
        return &json_form_quantity;
    assert(field->kind == FIELD_STRING_LIST || field->kind == FIELD_STRING_MAP);
    return &json_forms[FIELD_STRING];
}

bool json_whole(const json_t *value, int64_t *number)
{
    if (json_is_integer(value)) {
        *number = json_integer_value(value);
        return true;
    }
    double real = json_real_value(value);
    // 2^63 itself does not fit; every double below it that is whole does.
    if (!json_is_real(value) || !(real >= -0x1p63 && real < 0x1p63) ||
        real != (double)(int64_t)real)
        return false;
    *number = (int64_t)real;
    return true;
}

const char *json_type_text(const json_t *value, const char *boolean)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return boolean;
    case JSON_NULL:
        break;
    }
    return "null";
}

bool field_is_header(const char *name)
{
    return strcmp(name, "apiVersion") == 0 || strcmp(name, "kind") == 0;
}

bool field_is_required(const struct field *field, bool as_of_aws_1_14)
{
    return (field->flags & FIELD_REQUIRED) ||
           ((field->flags & FIELD_REQUIRED_AS_OF_AWS) && as_of_aws_1_14);
}

json_t *field_default(const struct field *field, bool as_of_aws_1_14)
{
    if (field->default_json == NULL ||
        ((field->flags & FIELD_REQUIRED_AS_OF_AWS) && as_of_aws_1_14))
        return NULL;
    json_t *value = json_loads(field->default_json, JSON_DECODE_ANY, NULL);
    assert(value != NULL); // the tables are the program's own
    return value;
}

size_t type_nearest_fields(const struct type *type, const char *name, const char **matches,
                           size_t matches_max)
{
    assert(matches_max > 0);
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (; count < type->fields_count && count < NAMES_MAX; count++)
        names[count] = type->fields[count].name;
    return text_nearest(name, names, count, matches, matches_max);
}
