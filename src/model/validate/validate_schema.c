#include "model/validate/validate_schema.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "model/schema/form.h"
#include "model/schema/schema.h"
#include "model/tables/rules_json.h"
#include "model/validate/validate_hints.h"
#include "model/validate/validation.h"

static void check_kind(struct validation *validation, const struct place *place,
                       const struct field *field, const json_t *value, const json_t *old_value);
static void check_text(struct validation *validation, const struct place *place,
                       const struct field *field, const char *text);
static void check_number(struct validation *validation, const struct place *place,
                         const struct field *field, int64_t number);
static void check_list(struct validation *validation, const struct place *place,
                       const struct field *field, const json_t *list, const json_t *old_list);
static void check_map(struct validation *validation, const struct place *place,
                      const struct field *field, const json_t *map, const json_t *old_map);
static void check_rules(struct validation *validation, const struct place *place,
                        const struct rule *rules, uint32_t count, const json_t *value,
                        const json_t *old_value);
static void refuse(struct validation *validation, const struct place *place,
                   const struct field *field, const char *hint, const char *format, ...)
    PRINTF_LIKE(5, 6);
static void refuse_form(struct validation *validation, const struct place *place,
                        const struct field *field, const struct json_form *form,
                        const json_t *value);

void check_object(struct validation *validation, const struct place *place, const struct type *type,
                  const json_t *value, const json_t *old_value)
{
    for (uint32_t i = 0; i < type->fields_count; i++) {
        const struct field *field = &type->fields[i];
        struct place child = {place, field->name, 0};
        const json_t *member = json_object_get(value, field->name);
        if (member != NULL)
            check_field(validation, &child, field, member, json_object_get(old_value, field->name));
        else if (field_is_required(field, validation->options->as_of_aws_1_14))
            refuse(validation, &child, field, hint_required(field->name), "is required");
    }
    check_rules(validation, place, type->rules, type->rules_count, value, old_value);
}

void check_field(struct validation *validation, const struct place *place,
                 const struct field *field, const json_t *value, const json_t *old_value)
{
    assert(value != NULL);
    bool before = validation->forgiven;
    if (old_value != NULL && json_equal(value, old_value))
        validation->forgiven = true;
    check_kind(validation, place, field, value, old_value);
    check_rules(validation, place, field->rules, field->rules_count, value, old_value);
    validation->forgiven = before;
}

static void check_kind(struct validation *validation, const struct place *place,
                       const struct field *field, const json_t *value, const json_t *old_value)
{
    const struct json_form *form = form_of(field);
    if (!form_stores(form, value)) {
        refuse_form(validation, place, field, form, value);
        return;
    }
    switch (field->kind) {
    case FIELD_STRING:
    case FIELD_DURATION:
    case FIELD_TIME:
    case FIELD_MICRO_TIME:
        check_text(validation, place, field, json_string_value(value));
        break;
    case FIELD_INT:
    case FIELD_INT32:
    case FIELD_OPTIONAL_INT:
    case FIELD_OPTIONAL_INT32:
        check_number(validation, place, field, json_integer_value(value));
        break;
    case FIELD_OBJECT:
    case FIELD_POINTER:
        check_object(validation, place, field->type, value,
                     json_is_object(old_value) ? old_value : NULL);
        break;
    case FIELD_LIST:
    case FIELD_STRING_LIST:
        check_list(validation, place, field, value, old_value);
        break;
    case FIELD_STRING_MAP:
    case FIELD_RESOURCE_MAP:
        check_map(validation, place, field, value, old_value);
        break;
    case FIELD_BOOL:
    case FIELD_OPTIONAL_BOOL:
    case FIELD_PRICE:
    case FIELD_INT_OR_STRING:
    case FIELD_JSON: // checked by its reader
        break;
    }
}

// --- strings and numbers -------------------------------------------------------------------------
static size_t count_characters(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static bool has_digits(const char *text, size_t count)
{
    return strspn(text, "0123456789") >= count;
}

static bool is_date(const char *text) // exactly 2006-01-02 up to the "t"
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (!has_digits(text, 4) || text[4] != '-' || !has_digits(text + 5, 2) || text[7] != '-' ||
        !has_digits(text + 8, 2) || (text[10] != 'T' && text[10] != 't'))
        return false;
    int year = atoi(text), month = atoi(text + 5), day = atoi(text + 8);
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1])
        return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month != 2 || day < 29 || leap;
}

// As API servers check the format date-time: seconds up to 59, any fraction, an offset or Z.
static bool is_date_time(const char *text)
{
    return strlen(text) > 10 && is_date(text) &&
           pattern_matches("^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?"
                           "([zZ]|[+-][0-9]{2}:[0-9]{2})$",
                           text + 11);
}

static void check_content(struct validation *validation, const struct place *place,
                          const struct field *field, const char *text)
{
    struct text hint = {0};
    size_t length = field->max_length > 0 || field->min_length > 0 ? count_characters(text) : 0;
    if (field->max_length > 0 && length > field->max_length)
        refuse(validation, place, field, NULL, "is %zu characters long; at most %u are allowed",
               length, field->max_length);
    if (length < field->min_length)
        refuse(validation, place, field, NULL, "must not be empty");
    if (field->pattern != NULL && !pattern_matches(field->pattern, text))
        refuse(validation, place, field, hint_pattern(field, text, &hint) ? hint.data : NULL,
               "\"%.200s\" does not have the form %s", text, field->pattern);
    text_free(&hint);
}

static void check_enum(struct validation *validation, const struct place *place,
                       const struct field *field, const char *text)
{
    struct text allowed = {0}, hint = {0};
    for (size_t i = 0; field->enum_values[i] != NULL; i++) {
        if (strcmp(field->enum_values[i], text) == 0)
            goto done;
        text_join(&allowed, ", ", field->enum_values[i]);
    }
    refuse(validation, place, field, hint_enum(text, field->enum_values, &hint) ? hint.data : NULL,
           "\"%.200s\" is not one of %s", text, allowed.data);
done:
    text_free(&allowed);
    text_free(&hint);
}

static void check_text(struct validation *validation, const struct place *place,
                       const struct field *field, const char *text)
{
    if (field->kind == FIELD_TIME || field->kind == FIELD_MICRO_TIME) {
        if (!is_date_time(text))
            refuse(validation, place, field, "write it as 2026-01-31T12:00:00Z",
                   "\"%.200s\" is not a date and time", text);
        return;
    }
    check_content(validation, place, field, text);
    if (field->enum_values != NULL)
        check_enum(validation, place, field, text);
}

static void check_number(struct validation *validation, const struct place *place,
                         const struct field *field, int64_t number)
{
    if ((field->flags & FIELD_HAS_MINIMUM) && number < field->minimum)
        refuse(validation, place, field, NULL, "%" PRId64 " is less than %" PRId64, number,
               field->minimum);
    else if ((field->flags & FIELD_HAS_MAXIMUM) && number > field->maximum)
        refuse(validation, place, field, NULL, "%" PRId64 " is more than %" PRId64, number,
               field->maximum);
    else if (!form_has_range_of(form_of(field), number))
        refuse(validation, place, field, NULL, "%" PRId64 " does not fit into 32 bits", number);
}

// --- lists and maps ------------------------------------------------------------------------------
// Only lists of type map match old items with new ones.
static const json_t *find_old_item(const struct field *field, const json_t *old_list,
                                   const json_t *item)
{
    assert(field->list_key != NULL);
    const char *key = json_text(item, field->list_key);
    size_t index;
    json_t *old_item;
    json_array_foreach (old_list, index, old_item)
        if (key != NULL && json_text_is(old_item, field->list_key, key))
            return old_item;
    return NULL;
}

static void check_item(struct validation *validation, const struct place *place,
                       const struct field *field, const json_t *item, const json_t *old_list)
{
    const struct json_form *form = form_of_items(field);
    if (!form_stores(form, item)) {
        refuse_form(validation, place, field, form, item);
    } else if (field->kind == FIELD_STRING_LIST) {
        check_text(validation, place, field, json_string_value(item));
    } else {
        const json_t *old_item =
            (field->flags & FIELD_LIST_MAP) ? find_old_item(field, old_list, item) : NULL;
        bool before = validation->forgiven;
        if (old_item != NULL && json_equal(item, old_item))
            validation->forgiven = true;
        check_object(validation, place, field->type, item, old_item);
        validation->forgiven = before;
    }
    check_rules(validation, place, field->item_rules, field->item_rules_count, item, NULL);
}

static bool are_same(const struct field *field, const json_t *a, const json_t *b)
{
    assert((field->flags & FIELD_LIST_SET) || field->list_key != NULL);
    if (field->flags & FIELD_LIST_SET)
        return json_equal(a, b);
    const char *key = json_text(a, field->list_key);
    return key != NULL && json_text_is(b, field->list_key, key);
}

static void check_duplicates(struct validation *validation, const struct place *place,
                             const struct field *field, const json_t *list)
{
    size_t count = json_array_size(list);
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            if (!are_same(field, json_array_get(list, i), json_array_get(list, k)))
                continue;
            struct place child = {place, NULL, i};
            validation->has_duplicates = true;
            if (validation->forgives_duplicates)
                return;
            refuse(validation, &child, field, NULL, "stands in the list already, at [%zu]", k);
            break;
        }
}

#define ADVICE_ITEMS_MAX 1000 // advice compares items with each other

static void check_size(struct validation *validation, const struct place *place,
                       const struct field *field, size_t size)
{
    if (field->max_items > 0 && size > field->max_items) {
        validation->oversized = validation->oversized || size > ADVICE_ITEMS_MAX;
        refuse(validation, place, field, NULL, "has %zu entries; at most %u are allowed", size,
               field->max_items);
    }
    if (size < field->min_items)
        refuse(validation, place, field, NULL, "must have at least %u entries", field->min_items);
}

#define DUPLICATE_CHECK_MAX 2000 // entries; far above every bound that a list with keys has

static void check_list(struct validation *validation, const struct place *place,
                       const struct field *field, const json_t *list, const json_t *old_list)
{
    check_size(validation, place, field, json_array_size(list));
    size_t index;
    json_t *item;
    json_array_foreach (list, index, item) {
        struct place child = {place, NULL, index};
        check_item(validation, &child, field, item, old_list);
    }
    if ((field->flags & (FIELD_LIST_SET | FIELD_LIST_MAP)) &&
        json_array_size(list) <= DUPLICATE_CHECK_MAX)
        check_duplicates(validation, place, field, list);
}

static void check_quantity(struct validation *validation, const struct place *place,
                           const struct field *field, const char *text)
{
    struct text hint = {0};
    static const struct field quantity = {.pattern = PATTERN_QUANTITY};
    if (!pattern_matches(PATTERN_QUANTITY, text)) {
        bool known = hint_pattern(&quantity, text, &hint);
        refuse(validation, place, field, known ? hint.data : NULL,
               "\"%.200s\" is not a quantity such as 100m, 4 or 16Gi", text);
    }
    text_free(&hint);
}

static void check_entry(struct validation *validation, const struct place *place,
                        const struct field *field, const json_t *value)
{
    const struct json_form *form = form_of_items(field);
    if (!form_stores(form, value))
        refuse_form(validation, place, field, form, value);
    else if (field->kind == FIELD_STRING_MAP)
        check_text(validation, place, field, json_string_value(value));
    else if (json_is_string(value))
        check_quantity(validation, place, field, json_string_value(value));
}

static void check_map(struct validation *validation, const struct place *place,
                      const struct field *field, const json_t *map, const json_t *old_map)
{
    check_size(validation, place, field, json_object_size(map));
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)map, key, value) {
        struct place child = {place, key, 0};
        const json_t *old_value = json_object_get(old_map, key);
        bool before = validation->forgiven;
        if (old_value != NULL && json_equal(value, old_value))
            validation->forgiven = true;
        check_entry(validation, &child, field, value);
        check_rules(validation, &child, field->item_rules, field->item_rules_count, value,
                    old_value);
        validation->forgiven = before;
    }
}

// --- rules ---------------------------------------------------------------------------------------
static void report_rule(struct validation *validation, const struct place *place,
                        const struct rule *rule)
{
    assert(rule->message != NULL);
    bool forgiven = validation->forgiven;
    validation_report(validation,
                      &(struct report){.level = forgiven ? FINDING_WARNING : FINDING_REFUSED,
                                       .code = forgiven ? "W-kept" : NULL,
                                       .rule = rule->id,
                                       .place = place,
                                       .hint = rule->hint},
                      "%s", rule->message);
}

static void check_items(struct validation *validation, const struct place *place,
                        const struct rule *rule, const json_t *list)
{
    size_t index;
    json_t *item;
    json_array_foreach (list, index, item) {
        struct place child = {place, NULL, index};
        if (rule->item_violated(rule, item))
            report_rule(validation, &child, rule);
    }
}

static void check_keys(struct validation *validation, const struct place *place,
                       const struct rule *rule, const json_t *map)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)map, key, value) {
        struct place child = {place, key, 0};
        if (rule->text_violated(rule, key))
            report_rule(validation, &child, rule);
    }
}

static void check_rules(struct validation *validation, const struct place *place,
                        const struct rule *rules, uint32_t count, const json_t *value,
                        const json_t *old_value)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct rule *rule = &rules[i];
        if (rule->aws_only && validation->options->core)
            continue;
        if (rule->transition && old_value == NULL)
            continue;
        if (rule->item_violated != NULL)
            check_items(validation, place, rule, value);
        else if (rule->text_violated != NULL && json_is_object(value))
            check_keys(validation, place, rule, value);
        else if (rule->text_violated != NULL && json_is_string(value)) {
            if (rule->text_violated(rule, json_string_value(value)))
                report_rule(validation, place, rule);
        } else if (rule->violated != NULL && rule->violated(rule, value, old_value))
            report_rule(validation, place, rule);
    }
}

// --- refusals ------------------------------------------------------------------------------------
const char *schema_rule(const struct validation *validation, const struct field *field)
{
    if (field->rule_id != NULL)
        return field->rule_id;
    switch ((int)validation->kind->id) {
    case KIND_NODE_POOL:
        return "API-32";
    case KIND_NODE_CLAIM:
        return "API-57";
    case KIND_NODE_OVERLAY:
        return "API-66";
    case KIND_CAPACITY_BUFFER:
        return "API-77";
    case KIND_EC2_NODE_CLASS:
        return "API-86";
    case KIND_KWOK_NODE_CLASS:
        return "API-106";
    default:
        return NULL;
    }
}

static void refuse(struct validation *validation, const struct place *place,
                   const struct field *field, const char *hint, const char *format, ...)
{
    if (validation->forgiven)
        return;
    char message[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    validation_report(validation,
                      &(struct report){.level = FINDING_REFUSED,
                                       .rule = schema_rule(validation, field),
                                       .place = place,
                                       .hint = hint},
                      "%s", message);
}

static void refuse_form(struct validation *validation, const struct place *place,
                        const struct field *field, const struct json_form *form,
                        const json_t *value)
{
    struct text hint = {0};
    bool known = hint_type(field, place, value, &hint);
    if (!validation->forgiven)
        validation_report(validation,
                          &(struct report){.level = FINDING_REFUSED,
                                           .rule = schema_rule(validation, field),
                                           .place = place,
                                           .hint = known ? hint.data : NULL,
                                           .is_form = true},
                          "must be %s, not %s", form->name_for_people,
                          json_type_text(value, "true or false"));
    text_free(&hint);
}
