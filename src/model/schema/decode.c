#include "model/schema/decode.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "model/schema/decode_scalars.h"
#include "model/schema/decoder.h"
#include "model/schema/object.h"
#include "model/schema/pack.h"
#include "model/schema/tables.h"

#define DECODE_ITEMS_MAX   10000000 // API-303: list items and map entries of one object
#define DECODE_ARENA_BYTES 8192
// kubectl's copy of the whole manifest: never read, and often the largest part of an object.
#define ANNOTATION_LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

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

// Only the tables of adze's and Karpenter's kinds are complete; adze reads a part of a Pod.
static bool kind_is_whole(const struct kind *kind)
{
    return kind->custom || kind->id == KIND_INSTANCE_TYPE_CATALOG ||
           kind->id == KIND_SNAPSHOT_CONTEXT;
}

static struct object *decode_document(struct decoder *decoder, const json_t *document,
                                      const struct kind *kind)
{
    assert(kind->type != NULL);
    assert(decoder->error != NULL || !decoder->salvages);
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
    assert(kind != NULL);
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
    assert(mode == DECODE_STRICT || mode == DECODE_LENIENT);
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

// --- lists and maps ------------------------------------------------------------------------------
// Room for `count` items; the marker of emptiness if there are none.
static void *items_create(struct decoder *decoder, size_t count, size_t size)
{
    return count == 0 ? empty_items : arena_allocate_array(decoder->arena, count, size);
}

static bool count_items(struct decoder *decoder, const struct place *place, size_t count)
{
    decoder->items += count;
    return decoder->items <= DECODE_ITEMS_MAX ||
           decoder_fail(decoder, place, "more than %d items in one object", DECODE_ITEMS_MAX);
}

static bool decode_list(struct decoder *decoder, const struct place *place,
                        const struct field *field, const json_t *value, struct any_list *to)
{
    size_t count = json_array_size(value);
    if (!count_items(decoder, place, count))
        return false;
    const struct type *type = field->type;
    const struct json_form *form = form_of_items(field);
    char *items = items_create(decoder, count, type->size);
    uint32_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        struct place place_of_item = {place, NULL, i};
        const json_t *item = json_array_get(value, i);
        if (decoder_expects(decoder, &place_of_item, form, item) &&
            decode_struct(decoder, &place_of_item, type, item, items + taken * type->size))
            taken++;
        else if (!decoder->salvages)
            return false;
    }
    assert(taken <= count);
    *to = (struct any_list){items, taken};
    return true;
}

static bool decode_string_list(struct decoder *decoder, const struct place *place,
                               const struct field *field, const json_t *value,
                               struct string_list *to)
{
    size_t count = json_array_size(value);
    if (!count_items(decoder, place, count))
        return false;
    const struct json_form *form = form_of_items(field);
    const char **items = items_create(decoder, count, sizeof *items);
    uint32_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        struct place place_of_item = {place, NULL, i};
        const json_t *item = json_array_get(value, i);
        if (decoder_expects(decoder, &place_of_item, form, item))
            items[taken++] = json_string_value(item);
        else if (!decoder->salvages)
            return false;
    }
    assert(taken <= count);
    *to = (struct string_list){items, taken};
    return true;
}

static bool decode_string_map(struct decoder *decoder, const struct place *place,
                              const struct field *field, const json_t *value, struct string_map *to)
{
    if (!count_items(decoder, place, json_object_size(value)))
        return false;
    const struct json_form *form = form_of_items(field);
    struct string_pair *items = items_create(decoder, json_object_size(value), sizeof *items);
    uint32_t count = 0;
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        if (json_is_null(member) || strcmp(key, ANNOTATION_LAST_APPLIED) == 0)
            continue;
        struct place entry = {place, key, 0};
        if (decoder_expects(decoder, &entry, form, member))
            items[count++] = (struct string_pair){key, json_string_value(member)};
        else if (!decoder->salvages)
            return false;
    }
    if (count > 1)
        qsort(items, count, sizeof *items, string_pair_compare);
    assert(count <= json_object_size(value));
    *to = (struct string_map){items, count};
    return true;
}

static int compare_quantities(const void *a, const void *b)
{
    return strcmp(((const struct resource_quantity *)a)->name,
                  ((const struct resource_quantity *)b)->name);
}

static bool decode_resource_map(struct decoder *decoder, const struct place *place,
                                const struct field *field, const json_t *value,
                                struct resource_map *to)
{
    if (!count_items(decoder, place, json_object_size(value)))
        return false;
    const struct json_form *form = form_of_items(field);
    struct resource_quantity *items = items_create(decoder, json_object_size(value), sizeof *items);
    uint32_t count = 0;
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        if (json_is_null(member))
            continue;
        struct place entry = {place, key, 0};
        items[count].name = key;
        if (decoder_expects(decoder, &entry, form, member) &&
            decode_quantity(decoder, &entry, key, member, &items[count].value))
            count++;
        else if (!decoder->salvages)
            return false;
    }
    if (count > 1)
        qsort(items, count, sizeof *items, compare_quantities);
    assert(count <= json_object_size(value));
    *to = (struct resource_map){items, count};
    return true;
}

// --- structs -------------------------------------------------------------------------------------
static bool decode_value(struct decoder *decoder, const struct place *place,
                         const struct field *field, const json_t *value, char *to)
{
    assert(value != NULL);
    const struct json_form *form = form_of(field);
    if (!decoder_expects(decoder, place, form, value))
        return false;
    switch (field->kind) {
    case FIELD_STRING:
        *(const char **)to = json_string_value(value);
        return true;
    case FIELD_BOOL:
        *(bool *)to = json_is_true(value);
        return true;
    case FIELD_OPTIONAL_BOOL:
        *(struct optional_bool *)to = (struct optional_bool){true, json_is_true(value)};
        return true;
    case FIELD_INT:
    case FIELD_INT32:
        return decode_int(decoder, place, value, form, (int64_t *)to);
    case FIELD_OPTIONAL_INT:
    case FIELD_OPTIONAL_INT32:
        ((struct optional_int *)to)->present = true;
        return decode_int(decoder, place, value, form, &((struct optional_int *)to)->value);
    case FIELD_INT_OR_STRING:
        return decode_int_or_string(decoder, place, value, form, (struct int_or_string *)to);
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
        return decode_list(decoder, place, field, value, (struct any_list *)to);
    case FIELD_STRING_LIST:
        return decode_string_list(decoder, place, field, value, (struct string_list *)to);
    case FIELD_STRING_MAP:
        return decode_string_map(decoder, place, field, value, (struct string_map *)to);
    case FIELD_RESOURCE_MAP:
        return decode_resource_map(decoder, place, field, value, (struct resource_map *)to);
    case FIELD_JSON:
        return decode_free_form(decoder, place, value, (const char **)to);
    }
    return decoder_fail(decoder, place, "the field's table is broken");
}

// Takes over `value`: the scratch object points to its texts.
static bool decode_default(struct decoder *decoder, const struct place *place,
                           const struct field *field, json_t *value, char *to)
{
    vector_push(&decoder->defaults, value);
    return decode_value(decoder, place, field, value, to);
}

// An explicit null means empty where the row says so.
static bool decode_field(struct decoder *decoder, const struct place *parent,
                         const struct field *field, const json_t *value, char *to)
{
    struct place place = {parent, field->name, 0};
    if (json_is_given(value))
        return decode_value(decoder, &place, field, value, to);
    if (field->default_json != NULL)
        return decode_default(decoder, &place, field, field_default(field, false), to);
    // No API server stores an object without it; in a file it reads as "", as Go's decoders do.
    if (field->kind == FIELD_STRING && (field->flags & FIELD_REQUIRED))
        *(const char **)to = "";
    // The struct exists and will be written: it reads as an empty object.
    if (field->kind == FIELD_OBJECT && (field->flags & FIELD_REQUIRED))
        return decode_default(decoder, &place, field, json_object(), to);
    if (value != NULL && (field->flags & FIELD_NULL_TO_EMPTY) &&
        (field->kind == FIELD_LIST || field->kind == FIELD_STRING_LIST ||
         field->kind == FIELD_STRING_MAP || field->kind == FIELD_RESOURCE_MAP))
        *(struct any_list *)to = (struct any_list){empty_items, 0};
    return true;
}

static bool refuse_unknown(struct decoder *decoder, const struct place *place,
                           const struct type *type, const char *name)
{
    const char *nearest[1];
    struct place unknown = {place, name, 0};
    if (type_nearest_fields(type, name, nearest, 1) == 1)
        return decoder_fail(decoder, &unknown, "unknown field, did you mean \"%s\"?", nearest[0]);
    return decoder_fail(decoder, &unknown, "unknown field");
}

static bool check_unknown(struct decoder *decoder, const struct place *place,
                          const struct type *type, const json_t *value)
{
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        bool is_header = place == NULL && field_is_header(key);
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
    assert(type->fields_count > 0);
    assert(json_is_object(value));
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
