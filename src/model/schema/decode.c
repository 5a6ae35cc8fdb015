#include "model/schema/decode.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/vector.h"
#include "model/schema/object.h"
#include "model/schema/pack.h"
#include "model/schema/path.h"
#include "model/schema/tables.h"

// API-303: list items and map entries of one object, and nesting of free-form values.
#define DECODE_ITEMS_MAX   10000000
#define DECODE_DEPTH_MAX   64
#define DECODE_ARENA_BYTES 8192
// kubectl's copy of the whole manifest: never read, and often the largest part of an object.
#define ANNOTATION_LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

struct place { // where in the document; a chain on the stack, made into text for errors only
    const struct place *parent;
    const char *name; // field or map key; NULL: a list item
    size_t index;
};
struct decoder {
    struct arena *arena;
    struct error *error;
    bool strict;
    bool salvages; // what has the wrong form is left out; the error is the first one
    uint64_t items;
    VECTOR(json_t *) defaults; // parsed default values, alive until the object is packed
};

static bool decode_struct(struct decoder *decoder, const struct place *place,
                          const struct type *type, const json_t *value, char *to);

// --- entry ---------------------------------------------------------------------------------------
static bool check_kind(const json_t *document, const struct kind *kind, struct error *error)
{
    const char *name = json_string_value(json_object_get(document, "kind"));
    if (name == NULL || strcmp(name, kind->name) == 0)
        return true;
    error_set(error, ERROR_INVALID, "expected %s, found %.100s", kind->name, name);
    return error_locate(error, "kind");
}

// Only the tables of adze's and Karpenter's kinds are whole: of a Pod adze reads but a part.
static bool kind_is_whole(const struct kind *kind)
{
    return kind->custom || kind->id == KIND_INSTANCE_TYPE_CATALOG ||
           kind->id == KIND_SNAPSHOT_CONTEXT;
}

static struct object *decode_document(struct decoder *decoder, const json_t *document,
                                      const struct kind *kind)
{
    decoder->arena = arena_create(DECODE_ARENA_BYTES);
    struct object *scratch = arena_allocate(decoder->arena, kind->type->size);
    scratch->kind = kind;
    struct object *object = NULL;
    if (decode_struct(decoder, NULL, kind->type, document, (char *)scratch)) {
        if (decoder->salvages && decoder->error->kind != ERROR_NONE)
            scratch->meta.unreadable = decoder->error->message;
        object = object_pack(scratch, decoder->arena, decoder->error);
    }
    vector_for_each (value, &decoder->defaults)
        json_decref(*value);
    vector_free(&decoder->defaults);
    arena_destroy(decoder->arena);
    return object;
}

struct object *object_salvage(const json_t *document, const struct kind *kind)
{
    struct error error = {0};
    if (!json_is_object(document) || !check_kind(document, kind, &error))
        return NULL;
    struct decoder decoder = {.error = &error, .salvages = true};
    struct object *object = decode_document(&decoder, document, kind);
    if (object != NULL && object->meta.name != NULL)
        return object;
    object_release(object);
    return NULL;
}

struct object *object_decode(const json_t *document, const struct kind *kind, enum decode_mode mode,
                             struct error *error)
{
    assert(kind != NULL);
    if (!json_is_object(document)) {
        error_set(error, ERROR_INVALID, "the document is not an object");
        return NULL;
    }
    if (!check_kind(document, kind, error))
        return NULL;
    struct decoder decoder = {.error = error,
                              .strict = mode == DECODE_STRICT && kind_is_whole(kind)};
    return decode_document(&decoder, document, kind);
}

// --- errors --------------------------------------------------------------------------------------
static void place_text(const struct place *place, struct text *text)
{
    if (place == NULL)
        return;
    place_text(place->parent, text);
    if (place->name == NULL)
        path_add_index(text, place->index);
    else
        path_add_name(text, place->name);
}

static bool fail(struct decoder *decoder, const struct place *place, const char *format, ...)
    PRINTF_LIKE(3, 4);
static bool fail(struct decoder *decoder, const struct place *place, const char *format, ...)
{
    if (decoder->salvages && decoder->error->kind != ERROR_NONE)
        return false;
    struct text path = {0};
    place_text(place, &path);
    char message[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(decoder->error, ERROR_INVALID, "%s", message);
    if (path.length > 0)
        error_locate(decoder->error, "%s", path.data);
    text_free(&path);
    return false;
}

static bool expected(struct decoder *decoder, const struct place *place, const char *what,
                     const json_t *value)
{
    return fail(decoder, place, "expected %s, found %s", what, json_type_text(value, "a boolean"));
}

static bool refuse_unknown(struct decoder *decoder, const struct place *place,
                           const struct type *type, const char *name)
{
    const char *siblings[256];
    const char *nearest[1];
    size_t count = 0;
    for (uint32_t i = 0; i < type->fields_count && count < ARRAY_LENGTH(siblings); i++)
        siblings[count++] = type->fields[i].name;
    struct place unknown = {place, name, 0};
    if (text_nearest(name, siblings, count, nearest, 1) == 1)
        return fail(decoder, &unknown, "unknown field, did you mean \"%s\"?", nearest[0]);
    return fail(decoder, &unknown, "unknown field");
}

// --- scalars -------------------------------------------------------------------------------------
static bool decode_string(struct decoder *decoder, const struct place *place, const json_t *value,
                          const char **to)
{
    if (!json_is_string(value))
        return expected(decoder, place, "a string", value);
    *to = json_string_value(value);
    return true;
}

static bool decode_bool(struct decoder *decoder, const struct place *place, const json_t *value,
                        bool *to)
{
    if (!json_is_boolean(value))
        return expected(decoder, place, "a boolean", value);
    *to = json_is_true(value);
    return true;
}

static bool decode_int(struct decoder *decoder, const struct place *place, const json_t *value,
                       bool narrow, int64_t *to)
{
    if (json_is_integer(value)) {
        *to = json_integer_value(value);
    } else if (json_is_real(value)) {
        double real = json_real_value(value);
        // 2^63 itself does not fit; every double below it that is whole does.
        if (!(real >= -0x1p63 && real < 0x1p63) || real != (double)(int64_t)real)
            return fail(decoder, place, "expected an integer, found %g", real);
        *to = (int64_t)real;
    } else {
        return expected(decoder, place, "an integer", value);
    }
    if (narrow && (*to < INT32_MIN || *to > INT32_MAX))
        return fail(decoder, place, "%" PRId64 " is out of the range of a 32-bit integer", *to);
    return true;
}

static bool decode_int_or_string(struct decoder *decoder, const struct place *place,
                                 const json_t *value, struct int_or_string *to)
{
    to->present = true;
    if (json_is_string(value)) {
        to->text = json_string_value(value);
        return true;
    }
    if (!json_is_number(value))
        return expected(decoder, place, "an integer or a string", value);
    return decode_int(decoder, place, value, true, &to->number);
}

static bool decode_duration(struct decoder *decoder, const struct place *place, const json_t *value,
                            struct duration *to)
{
    if (!decode_string(decoder, place, value, &to->text))
        return false;
    struct error why = {0};
    if (strcmp(to->text, "Never") == 0)
        to->nanoseconds = DURATION_NEVER;
    else if (!duration_parse(to->text, &to->nanoseconds, &why))
        return fail(decoder, place, "%s", why.message);
    return true;
}

static bool decode_time(struct decoder *decoder, const struct place *place, const json_t *value,
                        int64_t *to)
{
    const char *text = NULL;
    struct error why = {0};
    if (!decode_string(decoder, place, value, &text))
        return false;
    // The zero value of Go's time, which some clients write for "none".
    if (strncmp(text, "0001-01-01T00:00:00", 19) == 0) {
        *to = 0;
        return true;
    }
    if (!instant_parse(text, to, &why))
        return fail(decoder, place, "%s", why.message);
    if (*to == 0) // the epoch itself is there, too: 0 is absent
        *to = NANOSECOND;
    return true;
}

static bool decode_price(struct decoder *decoder, const struct place *place, const json_t *value,
                         int64_t *to)
{
    struct error why = {0};
    if (json_is_string(value))
        return price_parse(json_string_value(value), to, &why) ||
               fail(decoder, place, "%s", why.message);
    if (!json_is_number(value))
        return expected(decoder, place, "a number", value);
    *to = price_from_double(json_number_value(value));
    return true;
}

static bool depth_is_fine(const json_t *value, int depth)
{
    if (depth > DECODE_DEPTH_MAX)
        return false;
    const char *key;
    const json_t *member;
    size_t index;
    if (json_is_object(value)) {
        json_object_foreach ((json_t *)value, key, member)
            if (!depth_is_fine(member, depth + 1))
                return false;
    } else if (json_is_array(value)) {
        json_array_foreach (value, index, member)
            if (!depth_is_fine(member, depth + 1))
                return false;
    }
    return true;
}

static bool decode_free_form(struct decoder *decoder, const struct place *place,
                             const json_t *value, const char **to)
{
    if (!depth_is_fine(value, 1))
        return fail(decoder, place, "nested deeper than %d", DECODE_DEPTH_MAX);
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    if (text == NULL)
        return fail(decoder, place, "cannot be written as JSON");
    *to = arena_copy_string(decoder->arena, text);
    free(text);
    return true;
}

// --- lists and maps ------------------------------------------------------------------------------
// Room for `count`
// items; the marker of emptiness if there are none.
static void *items_create(struct decoder *decoder, size_t count, size_t size)
{
    return count == 0 ? empty_items : arena_allocate_array(decoder->arena, count, size);
}

static bool count_items(struct decoder *decoder, const struct place *place, size_t count)
{
    decoder->items += count;
    return decoder->items <= DECODE_ITEMS_MAX ||
           fail(decoder, place, "more than %d items in one object", DECODE_ITEMS_MAX);
}

static bool decode_list(struct decoder *decoder, const struct place *place, const struct type *type,
                        const json_t *value, struct any_list *to)
{
    if (!json_is_array(value))
        return expected(decoder, place, "a list", value);
    size_t count = json_array_size(value);
    if (!count_items(decoder, place, count))
        return false;
    char *items = items_create(decoder, count, type->size);
    uint32_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        struct place item = {place, NULL, i};
        if (decode_struct(decoder, &item, type, json_array_get(value, i),
                          items + taken * type->size))
            taken++;
        else if (!decoder->salvages)
            return false;
    }
    *to = (struct any_list){items, taken};
    return true;
}

static bool decode_string_list(struct decoder *decoder, const struct place *place,
                               const json_t *value, struct string_list *to)
{
    if (!json_is_array(value))
        return expected(decoder, place, "a list", value);
    size_t count = json_array_size(value);
    if (!count_items(decoder, place, count))
        return false;
    const char **items = items_create(decoder, count, sizeof *items);
    uint32_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        struct place item = {place, NULL, i};
        if (decode_string(decoder, &item, json_array_get(value, i), &items[taken]))
            taken++;
        else if (!decoder->salvages)
            return false;
    }
    *to = (struct string_list){items, taken};
    return true;
}

static bool decode_string_map(struct decoder *decoder, const struct place *place,
                              const json_t *value, struct string_map *to)
{
    if (!json_is_object(value))
        return expected(decoder, place, "an object", value);
    if (!count_items(decoder, place, json_object_size(value)))
        return false;
    struct string_pair *items = items_create(decoder, json_object_size(value), sizeof *items);
    uint32_t count = 0;
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        if (json_is_null(member) || strcmp(key, ANNOTATION_LAST_APPLIED) == 0)
            continue;
        struct place entry = {place, key, 0};
        items[count].key = key;
        if (decode_string(decoder, &entry, member, &items[count].value))
            count++;
        else if (!decoder->salvages)
            return false;
    }
    if (count > 1)
        qsort(items, count, sizeof *items, string_pair_compare);
    *to = (struct string_map){items, count};
    return true;
}

static int compare_quantities(const void *a, const void *b)
{
    return strcmp(((const struct resource_quantity *)a)->name,
                  ((const struct resource_quantity *)b)->name);
}

static bool decode_quantity(struct decoder *decoder, const struct place *place,
                            const char *resource, const json_t *value, int64_t *to)
{
    char number[32];
    const char *text = number;
    struct error why = {0};
    if (json_is_string(value))
        text = json_string_value(value);
    else if (json_is_integer(value))
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        snprintf(number, sizeof number, "%.17g", json_real_value(value));
    else
        return expected(decoder, place, "a quantity", value);
    return quantity_parse(resource, text, to, &why) || fail(decoder, place, "%s", why.message);
}

static bool decode_resource_map(struct decoder *decoder, const struct place *place,
                                const json_t *value, struct resource_map *to)
{
    if (!json_is_object(value))
        return expected(decoder, place, "an object", value);
    if (!count_items(decoder, place, json_object_size(value)))
        return false;
    struct resource_quantity *items = items_create(decoder, json_object_size(value), sizeof *items);
    uint32_t count = 0;
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        if (json_is_null(member))
            continue;
        struct place entry = {place, key, 0};
        items[count].name = key;
        if (decode_quantity(decoder, &entry, key, member, &items[count].value))
            count++;
        else if (!decoder->salvages)
            return false;
    }
    if (count > 1)
        qsort(items, count, sizeof *items, compare_quantities);
    *to = (struct resource_map){items, count};
    return true;
}

// --- structs -------------------------------------------------------------------------------------
static bool decode_value(struct decoder *decoder, const struct place *place,
                         const struct field *field, const json_t *value, char *to)
{
    switch (field->kind) {
    case FIELD_STRING:
        return decode_string(decoder, place, value, (const char **)to);
    case FIELD_BOOL:
        return decode_bool(decoder, place, value, (bool *)to);
    case FIELD_OPTIONAL_BOOL:
        ((struct optional_bool *)to)->present = true;
        return decode_bool(decoder, place, value, &((struct optional_bool *)to)->value);
    case FIELD_INT:
    case FIELD_INT32:
        return decode_int(decoder, place, value, field->kind == FIELD_INT32, (int64_t *)to);
    case FIELD_OPTIONAL_INT:
    case FIELD_OPTIONAL_INT32:
        ((struct optional_int *)to)->present = true;
        return decode_int(decoder, place, value, field->kind == FIELD_OPTIONAL_INT32,
                          &((struct optional_int *)to)->value);
    case FIELD_INT_OR_STRING:
        return decode_int_or_string(decoder, place, value, (struct int_or_string *)to);
    case FIELD_DURATION:
        return decode_duration(decoder, place, value, (struct duration *)to);
    case FIELD_TIME:
    case FIELD_MICRO_TIME:
        return decode_time(decoder, place, value, (int64_t *)to);
    case FIELD_PRICE:
        return decode_price(decoder, place, value, (int64_t *)to);
    case FIELD_OBJECT:
        return decode_struct(decoder, place, field->type, value, to);
    case FIELD_POINTER:
        *(char **)to = arena_allocate(decoder->arena, field->type->size);
        return decode_struct(decoder, place, field->type, value, *(char **)to);
    case FIELD_LIST:
        return decode_list(decoder, place, field->type, value, (struct any_list *)to);
    case FIELD_STRING_LIST:
        return decode_string_list(decoder, place, value, (struct string_list *)to);
    case FIELD_STRING_MAP:
        return decode_string_map(decoder, place, value, (struct string_map *)to);
    case FIELD_RESOURCE_MAP:
        return decode_resource_map(decoder, place, value, (struct resource_map *)to);
    case FIELD_JSON:
        return decode_free_form(decoder, place, value, (const char **)to);
    }
    return fail(decoder, place, "the field's table is broken");
}

static bool decode_default(struct decoder *decoder, const struct place *place,
                           const struct field *field, const char *text, char *to)
{
    json_error_t why;
    json_t *value = json_loads(text, JSON_DECODE_ANY, &why);
    if (value == NULL)
        return fail(decoder, place, "the default of the field's table is broken: %s", why.text);
    vector_push(&decoder->defaults, value);
    return decode_value(decoder, place, field, value, to);
}

// An explicit null counts as absent, save where the row says that it means empty.
static bool decode_field(struct decoder *decoder, const struct place *parent,
                         const struct field *field, const json_t *value, char *to)
{
    struct place place = {parent, field->name, 0};
    if (value != NULL && !json_is_null(value))
        return decode_value(decoder, &place, field, value, to);
    if (field->default_json != NULL)
        return decode_default(decoder, &place, field, field->default_json, to);
    // No API server stores an object without it; from files it reads as Go's decoders have it.
    if (field->kind == FIELD_STRING && (field->flags & FIELD_REQUIRED))
        *(const char **)to = "";
    // The struct is there all the same, and will be written: it reads as if it had been empty.
    if (field->kind == FIELD_OBJECT && (field->flags & FIELD_REQUIRED))
        return decode_default(decoder, &place, field, "{}", to);
    if (value != NULL && (field->flags & FIELD_NULL_TO_EMPTY) &&
        (field->kind == FIELD_LIST || field->kind == FIELD_STRING_LIST ||
         field->kind == FIELD_STRING_MAP || field->kind == FIELD_RESOURCE_MAP))
        *(struct any_list *)to = (struct any_list){empty_items, 0};
    return true;
}

static bool check_unknown(struct decoder *decoder, const struct place *place,
                          const struct type *type, const json_t *value)
{
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        bool is_header =
            place == NULL && (strcmp(key, "apiVersion") == 0 || strcmp(key, "kind") == 0);
        if (!is_header && type_field(type, key) == NULL)
            return refuse_unknown(decoder, place, type, key);
    }
    return true;
}

static size_t field_bytes(const struct field *field)
{
    switch (field->kind) {
    case FIELD_BOOL:
        return sizeof(bool);
    case FIELD_OPTIONAL_BOOL:
        return sizeof(struct optional_bool);
    case FIELD_OPTIONAL_INT:
    case FIELD_OPTIONAL_INT32:
        return sizeof(struct optional_int);
    case FIELD_INT_OR_STRING:
        return sizeof(struct int_or_string);
    case FIELD_DURATION:
        return sizeof(struct duration);
    case FIELD_OBJECT:
        return field->type->size;
    case FIELD_LIST:
    case FIELD_STRING_LIST:
    case FIELD_STRING_MAP:
    case FIELD_RESOURCE_MAP:
        return sizeof(struct any_list);
    case FIELD_INT:
    case FIELD_INT32:
    case FIELD_TIME:
    case FIELD_MICRO_TIME:
    case FIELD_PRICE:
        return sizeof(int64_t);
    case FIELD_STRING:
    case FIELD_POINTER:
    case FIELD_JSON:
        break;
    }
    return sizeof(void *);
}

static bool decode_struct(struct decoder *decoder, const struct place *place,
                          const struct type *type, const json_t *value, char *to)
{
    if (!json_is_object(value))
        return expected(decoder, place, "an object", value);
    if (decoder->strict && !check_unknown(decoder, place, type, value))
        return false;
    for (const struct field *field = type->fields; field < type->fields + type->fields_count;
         field++) {
        if (field->flags & FIELD_SCHEMA_ONLY)
            continue;
        const json_t *member = json_object_get(value, field->name);
        if (decode_field(decoder, place, field, member, to + field->offset))
            continue;
        if (!decoder->salvages)
            return false;
        memset(to + field->offset, 0, field_bytes(field));
    }
    return true;
}
