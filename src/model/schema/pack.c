// Two walks over the table in the same order: the first sums sizes and places each string, the
// second copies.
#include "model/schema/pack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vector.h"
#include "model/schema/shared_strings.h"

_Alignas(16) char empty_items[16];

struct placed_string {     // the place of one string of the walk
    const char *elsewhere; // shared or static; NULL: in the block, at `offset`
    uint64_t offset;
};
struct known_string { // a distinct string of the block
    const char *text;
    uint64_t hash;
    uint32_t length;
    uint64_t offset;
};
struct packer {
    struct arena *arena;
    bool copying;
    char *block;            // NULL while measuring
    uint64_t structs_bytes; // so far
    uint64_t strings_bytes;
    uint64_t strings_base;      // offset of the strings: the structs' total
    struct known_string *known; // hash table, open addressing
    uint32_t known_slots, known_count;
    VECTOR(struct placed_string) placed;
    uint32_t placed_next;
};

static void pack_struct(struct packer *packer, const struct type *type, char *to, const char *from);
static void place_string(struct packer *packer, const char *text, const struct field *field,
                         bool share);

struct object *object_pack(const struct object *source, struct arena *arena, struct error *error)
{
    assert(source->kind != NULL);
    assert(arena != NULL);
    const struct type *type = source->kind->type;
    struct packer packer = {.arena = arena, .structs_bytes = type->size};
    pack_struct(&packer, type, NULL, (const char *)source);
    uint64_t bytes = packer.structs_bytes + packer.strings_bytes;
    struct object *object = NULL;
    if (bytes <= UINT32_MAX) {
        object = memory_allocate(bytes);
        packer.copying = true;
        packer.block = (char *)object;
        packer.strings_base = packer.structs_bytes;
        packer.structs_bytes = type->size;
        for (uint32_t i = 0; i < packer.known_slots; i++)
            if (packer.known[i].text != NULL)
                memcpy(packer.block + packer.strings_base + packer.known[i].offset,
                       packer.known[i].text, packer.known[i].length);
        pack_struct(&packer, type, (char *)object, (const char *)source);
        assert(packer.placed_next == packer.placed.count);
        assert(packer.structs_bytes == packer.strings_base);
        object->kind = source->kind;
        object->references = 1;
        object->bytes = (uint32_t)bytes;
    } else {
        error_set(error, ERROR_INVALID, "the object is too large (4 GiB is the most)");
    }
    vector_free(&packer.placed);
    return object;
}

struct object *object_copy(const struct object *object)
{
    CLEANUP_ARENA struct arena *arena = arena_create(8192);
    struct error error = {0};
    struct object *copy = object_pack(object, arena, &error);
    assert(copy != NULL); // 4 GiB in one object made by this program
    return copy;
}

// --- structs -------------------------------------------------------------------------------------
// Room for
// `bytes` more in the structs' part; NULL while measuring.
static char *reserve(struct packer *packer, uint64_t bytes)
{
    uint64_t offset = packer->structs_bytes;
    packer->structs_bytes += (bytes + 7) & ~UINT64_C(7);
    return packer->copying ? packer->block + offset : NULL;
}

// Measures the next string of the walk, or writes it to *to.
static void pack_string(struct packer *packer, const char **to, const char *text,
                        const struct field *field, bool share)
{
    if (text == NULL)
        return;
    if (!packer->copying) {
        place_string(packer, text, field, share);
        return;
    }
    assert(packer->placed_next < packer->placed.count);
    const struct placed_string *placed = &packer->placed.items[packer->placed_next++];
    *to = placed->elsewhere != NULL ? placed->elsewhere
                                    : packer->block + packer->strings_base + placed->offset;
}

// Reserves space for the items of a list or map and returns it (NULL while measuring, or if there
// are none).
static char *pack_items(struct packer *packer, char *to, const struct any_list *from, size_t size)
{
    if (from->items == NULL)
        return NULL;
    struct any_list copy = {empty_items, from->count};
    if (from->count > 0)
        copy.items = reserve(packer, (uint64_t)from->count * size);
    if (packer->copying)
        memcpy(to, &copy, sizeof copy);
    return from->count > 0 ? copy.items : NULL;
}

static void pack_string_list(struct packer *packer, const struct field *field, char *to,
                             const struct string_list *from)
{
    const char **items =
        (const char **)pack_items(packer, to, (const struct any_list *)from, sizeof(char *));
    bool share = (field->flags & FIELD_SHARED) != 0;
    for (uint32_t i = 0; from->items != NULL && i < from->count; i++)
        pack_string(packer, packer->copying ? &items[i] : NULL, from->items[i], field, share);
}

static void pack_string_map(struct packer *packer, const struct field *field, char *to,
                            const struct string_map *from)
{
    struct string_pair *items = (struct string_pair *)pack_items(
        packer, to, (const struct any_list *)from, sizeof(struct string_pair));
    bool share = (field->flags & FIELD_SHARED) != 0;
    for (uint32_t i = 0; from->items != NULL && i < from->count; i++) {
        assert(packer->copying || i == 0 || strcmp(from->items[i - 1].key, from->items[i].key) < 0);
        pack_string(packer, packer->copying ? &items[i].key : NULL, from->items[i].key, NULL, true);
        pack_string(packer, packer->copying ? &items[i].value : NULL, from->items[i].value, field,
                    share);
    }
}

static void pack_resource_map(struct packer *packer, char *to, const struct resource_map *from)
{
    struct resource_quantity *items = (struct resource_quantity *)pack_items(
        packer, to, (const struct any_list *)from, sizeof(struct resource_quantity));
    for (uint32_t i = 0; from->items != NULL && i < from->count; i++) {
        assert(packer->copying || i == 0 ||
               strcmp(from->items[i - 1].name, from->items[i].name) < 0);
        pack_string(packer, packer->copying ? &items[i].name : NULL, from->items[i].name, NULL,
                    true);
        if (packer->copying)
            items[i].value = from->items[i].value;
    }
}

static void pack_list(struct packer *packer, const struct field *field, char *to,
                      const struct any_list *from)
{
    assert(field->type != NULL);
    char *items = pack_items(packer, to, from, field->type->size);
    for (uint32_t i = 0; from->items != NULL && i < from->count; i++)
        pack_struct(packer, field->type,
                    packer->copying ? items + (size_t)i * field->type->size : NULL,
                    (const char *)from->items + (size_t)i * field->type->size);
}

static void pack_pointer(struct packer *packer, const struct field *field, char *to,
                         const char *from)
{
    assert(field->type != NULL);
    if (from == NULL)
        return;
    char *copy = reserve(packer, field->type->size);
    if (packer->copying)
        memcpy(to, &copy, sizeof copy);
    pack_struct(packer, field->type, copy, from);
}

static void pack_scalar(struct packer *packer, char *to, const char *from, size_t size)
{
    if (packer->copying)
        memcpy(to, from, size);
}

static void pack_field(struct packer *packer, const struct field *field, char *to, const char *from)
{
    bool share = (field->flags & FIELD_SHARED) != 0;
    switch (field->kind) {
    case FIELD_STRING:
    case FIELD_JSON:
        pack_string(packer, (const char **)to, *(const char *const *)from, field, share);
        break;
    case FIELD_BOOL:
        pack_scalar(packer, to, from, sizeof(bool));
        break;
    case FIELD_OPTIONAL_BOOL:
        pack_scalar(packer, to, from, sizeof(struct optional_bool));
        break;
    case FIELD_INT:
    case FIELD_INT32:
    case FIELD_TIME:
    case FIELD_MICRO_TIME:
    case FIELD_PRICE:
        pack_scalar(packer, to, from, sizeof(int64_t));
        break;
    case FIELD_OPTIONAL_INT:
    case FIELD_OPTIONAL_INT32:
        pack_scalar(packer, to, from, sizeof(struct optional_int));
        break;
    case FIELD_INT_OR_STRING: {
        const struct int_or_string *value = (const struct int_or_string *)from;
        pack_scalar(packer, to, from, sizeof *value);
        pack_string(packer, packer->copying ? &((struct int_or_string *)to)->text : NULL,
                    value->text, field, share);
        break;
    }
    case FIELD_DURATION: {
        const struct duration *value = (const struct duration *)from;
        pack_scalar(packer, to, from, sizeof *value);
        pack_string(packer, packer->copying ? &((struct duration *)to)->text : NULL, value->text,
                    field, true);
        break;
    }
    case FIELD_OBJECT:
        pack_struct(packer, field->type, to, from);
        break;
    case FIELD_POINTER:
        pack_pointer(packer, field, to, *(const char *const *)from);
        break;
    case FIELD_LIST:
        pack_list(packer, field, to, (const struct any_list *)from);
        break;
    case FIELD_STRING_LIST:
        pack_string_list(packer, field, to, (const struct string_list *)from);
        break;
    case FIELD_STRING_MAP:
        pack_string_map(packer, field, to, (const struct string_map *)from);
        break;
    case FIELD_RESOURCE_MAP:
        pack_resource_map(packer, to, (const struct resource_map *)from);
        break;
    }
}

static void pack_struct(struct packer *packer, const struct type *type, char *to, const char *from)
{
    for (const struct field *field = type->fields; field < type->fields + type->fields_count;
         field++)
        if (!(field->flags & FIELD_SCHEMA_ONLY))
            pack_field(packer, field, to == NULL ? NULL : to + field->offset, from + field->offset);
}

// --- strings -------------------------------------------------------------------------------------
static const char *find_static(const struct field *field, const char *text)
{
    if (field == NULL || field->enum_values == NULL)
        return NULL;
    for (const char *const *value = field->enum_values; *value != NULL; value++)
        if (strcmp(*value, text) == 0)
            return *value;
    return NULL;
}

static struct known_string *known_slot(struct known_string *known, uint32_t slots, const char *text,
                                       uint32_t length, uint64_t hash)
{
    assert((slots & (slots - 1)) == 0);
    uint32_t slot = (uint32_t)(hash >> 32) & (slots - 1);
    while (known[slot].text != NULL && (known[slot].hash != hash || known[slot].length != length ||
                                        memcmp(known[slot].text, text, length) != 0))
        slot = (slot + 1) & (slots - 1);
    return &known[slot];
}

static void known_grow(struct packer *packer)
{
    uint32_t slots = packer->known_slots == 0 ? 64 : packer->known_slots * 4;
    struct known_string *known = arena_allocate_array(packer->arena, slots, sizeof *known);
    for (uint32_t i = 0; i < packer->known_slots; i++) {
        const struct known_string *old = &packer->known[i];
        if (old->text != NULL)
            *known_slot(known, slots, old->text, old->length, old->hash) = *old;
    }
    packer->known = known;
    packer->known_slots = slots;
    assert(packer->known_count < packer->known_slots);
}

static void place_string(struct packer *packer, const char *text, const struct field *field,
                         bool share)
{
    size_t length = strlen(text);
    uint64_t hash = hash_bytes(text, length);
    struct placed_string placed = {.elsewhere = find_static(field, text)};
    if (placed.elsewhere == NULL)
        placed.elsewhere = shared_string(text, length, hash, share);
    if (placed.elsewhere == NULL) {
        if (packer->known_count * 2 >= packer->known_slots)
            known_grow(packer);
        struct known_string *known =
            known_slot(packer->known, packer->known_slots, text, (uint32_t)length, hash);
        if (known->text == NULL) {
            *known = (struct known_string){text, hash, (uint32_t)length, packer->strings_bytes};
            packer->strings_bytes += length + 1;
            packer->known_count++;
        }
        placed.offset = known->offset;
    }
    vector_push(&packer->placed, placed);
}
