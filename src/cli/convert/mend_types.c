#include "cli/convert/mend_types.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/convert/tree.h"
#include "model/schema/form.h"
#include "model/schema/type.h"
#include "model/tables/kinds.h"

#define NAMES_MAX  64
#define PREFIX_MIN 4

static void mend_object(struct source *source, struct product *product, const struct type *type,
                        const char *path, json_t *object);

static bool is_text(enum field_kind kind)
{
    return kind == FIELD_STRING || kind == FIELD_DURATION || kind == FIELD_STRING_LIST ||
           kind == FIELD_STRING_MAP;
}

// The word of the list that was meant; NULL: none is near.
static const char *word_meant(const char *word, const char *const *allowed)
{
    size_t count = 0;
    const char *near[1];
    for (; allowed[count] != NULL && count < NAMES_MAX; count++)
        if (strcasecmp(allowed[count], word) == 0 ||
            (strlen(word) >= PREFIX_MIN &&
             strncasecmp(allowed[count], word, strlen(word)) == 0)) // Drift
            return allowed[count];
    return text_nearest(word, allowed, count, near, 1) == 1 ? near[0] : NULL;
}

// "30d" in hours; NULL: it is no number of days.
static const char *days_in_hours(struct product *product, const char *text)
{
    char *end;
    long days = strtol(text, &end, 10);
    bool fits = end != text && strcmp(end, "d") == 0 && days >= 0 && days < 1000000;
    return fits ? product_text(product, "%ldh", days * 24) : NULL;
}

// One text of a field: a number or boolean becomes a text, a misspelt word the right one.
static json_t *text_mended(struct product *product, const struct field *field, const char *path,
                           json_t *value)
{
    const char *text = tree_scalar(value, product->conversion->arena);
    const char *meant = text;
    if (text == NULL)
        return NULL;
    const char *hours = field->kind == FIELD_DURATION ? days_in_hours(product, text) : NULL;
    if (hours != NULL) {
        note_add(product, NOTE_CHANGED, "M-days", path, "%s in hours: days are not known", text);
        return json_string(hours);
    }
    for (size_t i = 0; field->enum_values != NULL && field->enum_values[i] != NULL; i++)
        if (strcmp(field->enum_values[i], text) == 0)
            return json_is_string(value) ? NULL : json_string(text);
    if (field->enum_values != NULL && (meant = word_meant(text, field->enum_values)) != NULL)
        note_add(product, NOTE_CHANGED, "M-word", path, "%s is written %s", text, meant);
    if (json_is_string(value) && (meant == NULL || meant == text))
        return NULL;
    if (!json_is_string(value) && field->enum_values == NULL)
        note_add(product, NOTE_CHANGED, "M-quotes", path,
                 "%s is a text here: it is put into quotes", text);
    return meant != NULL ? json_string(meant) : NULL;
}

static void mend_texts(struct product *product, const struct field *field, const char *path,
                       json_t *value)
{
    size_t index;
    json_t *item, *mended;
    const char *key;
    if (json_is_array(value))
        json_array_foreach (value, index, item) {
            mended =
                text_mended(product, field, product_text(product, "%s[%zu]", path, index), item);
            if (mended != NULL)
                json_array_set_new(value, index, mended);
        }
    else if (json_is_object(value))
        json_object_foreach (value, key, item) {
            mended = text_mended(product, field, product_text(product, "%s.%s", path, key), item);
            if (mended != NULL)
                json_object_set_new(value, key, mended);
        }
}

static void mend_number(struct product *product, const char *path, json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    int64_t number;
    if (text == NULL || !text_parse_int64(text, &number))
        return;
    note_add(product, NOTE_CHANGED, "M-quotes", path, "%s is a number here: no quotes", text);
    json_object_set_new(object, name, json_integer(number));
}

static void mend_field(struct source *source, struct product *product, const struct field *field,
                       const char *path, json_t *object)
{
    json_t *value = json_object_get(object, field->name), *item, *mended;
    size_t index;
    if (is_text(field->kind) && (json_is_array(value) || json_is_object(value))) {
        mend_texts(product, field, path, value);
    } else if (is_text(field->kind)) {
        mended = text_mended(product, field, path, value);
        if (mended != NULL)
            json_object_set_new(object, field->name, mended);
        if (field->kind == FIELD_STRING_LIST &&
            json_is_string(json_object_get(object, field->name))) {
            mended = json_pack("[O]", json_object_get(object, field->name));
            json_object_set_new(object, field->name, mended);
            note_add(product, NOTE_CHANGED, "M-list", path, "is a list");
        }
    } else if (field->kind == FIELD_OPTIONAL_INT || field->kind == FIELD_OPTIONAL_INT32 ||
               field->kind == FIELD_INT || field->kind == FIELD_INT32) {
        mend_number(product, path, object, field->name);
    } else if (field->kind == FIELD_OBJECT || field->kind == FIELD_POINTER) {
        mend_object(source, product, field->type, path, value);
    } else if (field->kind == FIELD_LIST) {
        if (json_is_object(value)) {
            mended = json_pack("[O]", value);
            json_object_set_new(object, field->name, mended);
            value = mended;
            note_add(product, NOTE_CHANGED, "M-list", path, "is a list, even of one");
        }
        json_array_foreach (value, index, item)
            mend_object(source, product, field->type, product_text(product, "%s[%zu]", path, index),
                        item);
    }
}

// GUI-15
static void remove_unknown(struct source *source, struct product *product, const struct type *type,
                           const char *path, json_t *object, const char *key)
{
    const char *near[1];
    size_t found = type_nearest_fields(type, key, near, 1);
    if (found == 1 && json_object_get(object, near[0]) == NULL) {
        note_add(product, NOTE_CHANGED, "M-field", path, "is called %s", near[0]);
        json_object_set(object, near[0], json_object_get(object, key));
    } else if (product->conversion->options.strict) {
        source_fail(source, "%s is not known here", path);
    } else {
        note_add(product, NOTE_LOST, "M-unknown-field", path,
                 "the field does not exist and is left out%s%s", found == 1 ? "; near is " : "",
                 found == 1 ? near[0] : "");
    }
    json_object_del(object, key);
}

static void mend_object(struct source *source, struct product *product, const struct type *type,
                        const char *path, json_t *object)
{
    void *next;
    const char *key;
    json_t *value;
    if (!json_is_object(object) || type == NULL || type->fields_count == 0)
        return;
    json_object_foreach_safe(object, next, key, value)
    {
        const char *place = path[0] != '\0' ? product_text(product, "%s.%s", path, key)
                                            : product_text(product, "%s", key);
        if (type_field(type, key) == NULL)
            remove_unknown(source, product, type, place, object,
                           place + strlen(path) + (path[0] != '\0'));
    }
    for (uint32_t i = 0; i < type->fields_count; i++) {
        const struct field *field = &type->fields[i];
        if (json_object_get(object, field->name) != NULL)
            mend_field(source, product, field,
                       path[0] != '\0' ? product_text(product, "%s.%s", path, field->name)
                                       : field->name,
                       object);
    }
}

void mend_by_type(struct source *source, struct product *product)
{
    const struct kind *kind = kind_find(text_or_empty(tree_text_at(product->object, "apiVersion")),
                                        product_kind(product));
    assert(kind != NULL);
    const struct field *spec = type_field(kind->type, "spec");
    if (spec != NULL)
        mend_object(source, product, spec->type, "spec", tree_at(product->object, "spec"));
}
