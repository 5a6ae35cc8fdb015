// Places in an array, parents before children; names in one text. Children are found by a hash
// table over (parent, key), built at the first lookup: most texts need no message.
#include "model/manifest/positions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

#define NONE        UINT32_MAX
#define IS_ITEM     (UINT32_C(1) << 31) // of a key: an index; otherwise the offset of the name
#define SLOTS_FIRST 64

struct position {
    uint32_t parent; // NONE: a root
    uint32_t key;
    uint32_t line, column;
};
struct positions {
    uint32_t uses;
    VECTOR(struct position) places;
    struct text names; // one after the other, each with its NUL
    uint32_t *slots;   // place + 1, or 0; a power of two of them
    uint32_t slots_count;
    uint32_t indexed; // places that are in the table
};
struct step {         // of a path
    const char *name; // NULL: an item
    size_t length;
    uint32_t index;
};

// --- the tree ------------------------------------------------------------------------------------

struct positions *positions_create(void)
{
    struct positions *positions = memory_allocate(sizeof *positions);
    positions->uses = 1;
    return positions;
}

struct positions *positions_retain(struct positions *positions)
{
    assert(positions->uses > 0);
    positions->uses++;
    return positions;
}

void positions_release(struct positions *positions)
{
    if (positions == NULL || --positions->uses > 0)
        return;
    vector_free(&positions->places);
    text_free(&positions->names);
    free(positions->slots);
    free(positions);
}

static uint32_t add(struct positions *positions, struct position place)
{
    assert(place.parent == NONE || place.parent < positions->places.count);
    vector_push(&positions->places, place);
    return positions->places.count - 1;
}

uint32_t positions_add_root(struct positions *positions, uint32_t line, uint32_t column)
{
    return add(positions, (struct position){NONE, 0, line, column});
}

uint32_t positions_add_member(struct positions *positions, uint32_t parent, const char *name,
                              uint32_t line, uint32_t column)
{
    size_t at = positions->names.length;
    assert(at < IS_ITEM);
    text_add_bytes(&positions->names, name, strlen(name) + 1);
    return add(positions, (struct position){parent, (uint32_t)at, line, column});
}

uint32_t positions_add_item(struct positions *positions, uint32_t parent, uint32_t index,
                            uint32_t line, uint32_t column)
{
    assert(index < IS_ITEM);
    return add(positions, (struct position){parent, IS_ITEM | index, line, column});
}

void positions_get(const struct positions *positions, uint32_t place, uint32_t *line,
                   uint32_t *column)
{
    assert(place < positions->places.count);
    *line = positions->places.items[place].line;
    *column = positions->places.items[place].column;
}

// --- finding children ----------------------------------------------------------------------------

static struct step step_to(const struct positions *positions, const struct position *place)
{
    if (place->key & IS_ITEM)
        return (struct step){.index = place->key & ~IS_ITEM};
    const char *name = positions->names.data + place->key;
    return (struct step){.name = name, .length = strlen(name)};
}

static uint32_t first_slot(const struct positions *positions, uint32_t parent,
                           const struct step *step)
{
    uint64_t hash = step->name != NULL ? hash_bytes(step->name, step->length) : step->index;
    return (uint32_t)hash_mix(hash, parent) & (positions->slots_count - 1);
}

static void index_place(struct positions *positions, uint32_t at)
{
    const struct position *place = &positions->places.items[at];
    assert(place->parent < at);
    struct step step = step_to(positions, place);
    uint32_t slot = first_slot(positions, place->parent, &step);
    while (positions->slots[slot] != 0)
        slot = (slot + 1) & (positions->slots_count - 1);
    positions->slots[slot] = at + 1;
}

static void index_all(struct positions *positions)
{
    uint32_t count = positions->places.count, slots = positions->slots_count;
    while (slots < 2 * (uint64_t)count)
        slots = slots == 0 ? SLOTS_FIRST : 2 * slots;
    if (slots != positions->slots_count) {
        free(positions->slots);
        positions->slots = memory_allocate_array(slots, sizeof *positions->slots);
        positions->slots_count = slots;
        positions->indexed = 0;
    }
    assert(positions->indexed <= count);
    for (; positions->indexed < count; positions->indexed++)
        if (positions->places.items[positions->indexed].parent != NONE)
            index_place(positions, positions->indexed);
}

static bool is_step_to(const struct positions *positions, const struct position *place,
                       const struct step *step)
{
    if (place->key & IS_ITEM)
        return step->name == NULL && (place->key & ~IS_ITEM) == step->index;
    const char *name = positions->names.data + place->key;
    return step->name != NULL && strncmp(name, step->name, step->length) == 0 &&
           name[step->length] == '\0';
}

static uint32_t find_child(const struct positions *positions, uint32_t parent,
                           const struct step *step)
{
    assert((positions->slots_count & (positions->slots_count - 1)) == 0);
    uint32_t slot = first_slot(positions, parent, step);
    for (; positions->slots[slot] != 0; slot = (slot + 1) & (positions->slots_count - 1)) {
        uint32_t at = positions->slots[slot] - 1;
        const struct position *place = &positions->places.items[at];
        if (place->parent == parent && is_step_to(positions, place, step))
            return at;
    }
    return NONE;
}

// --- paths ---------------------------------------------------------------------------------------

// ["name"]: `path` points after the first quote. Puts the unescaped name into `name`.
static const char *read_quoted(const char *path, struct text *name)
{
    text_clear(name);
    for (; *path != '\0' && strncmp(path, "\"]", 2) != 0; path++) {
        if (path[0] == '\\' && (path[1] == '"' || path[1] == '\\'))
            path++;
        text_add_char(name, *path);
    }
    return *path == '\0' ? NULL : path + 2;
}

static const char *read_index(const char *path, uint32_t *index)
{
    uint64_t number = 0;
    const char *digit = path;
    for (; *digit >= '0' && *digit <= '9' && number < IS_ITEM; digit++)
        number = 10 * number + (uint64_t)(*digit - '0');
    *index = (uint32_t)number;
    return digit == path || *digit != ']' || number >= IS_ITEM ? NULL : digit + 1;
}

// Reads the next step. Returns the rest of the path, or NULL if no valid step follows.
static const char *read_step(const char *path, struct step *step, struct text *name)
{
    *step = (struct step){0};
    if (strncmp(path, "[\"", 2) == 0) {
        path = read_quoted(path + 2, name);
        *step = (struct step){.name = name->data != NULL ? name->data : "", .length = name->length};
        return path;
    }
    if (*path == '[')
        return read_index(path + 1, &step->index);
    path += *path == '.';
    *step = (struct step){.name = path, .length = strcspn(path, ".[")};
    return step->length > 0 ? path + step->length : NULL;
}

uint32_t positions_find(struct positions *positions, uint32_t from, const char *path)
{
    assert(from < positions->places.count);
    struct text name = {0};
    struct step step;
    index_all(positions);
    while (path != NULL && *path != '\0') {
        path = read_step(path, &step, &name);
        uint32_t child = path != NULL ? find_child(positions, from, &step) : NONE;
        if (child == NONE)
            break;
        from = child;
    }
    text_free(&name);
    return from;
}
