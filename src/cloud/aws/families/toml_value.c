#include "cloud/aws/families/toml_value.h"

#include <assert.h>
#include <string.h>

static struct toml_value *make(struct arena *arena, enum toml_type type)
{
    struct toml_value *value = arena_allocate(arena, sizeof *value);
    value->type = type;
    return value;
}

struct toml_value *toml_table(struct arena *arena)
{
    return make(arena, TOML_TABLE);
}

struct toml_value *toml_array(struct arena *arena)
{
    return make(arena, TOML_ARRAY);
}

struct toml_value *toml_string(struct arena *arena, const char *text)
{
    assert(text != NULL);
    struct toml_value *value = make(arena, TOML_STRING);
    value->text = arena_copy_string(arena, text);
    return value;
}

struct toml_value *toml_integer(struct arena *arena, int64_t number)
{
    struct toml_value *value = make(arena, TOML_INTEGER);
    value->integer = number;
    return value;
}

struct toml_value *toml_boolean(struct arena *arena, bool truth)
{
    struct toml_value *value = make(arena, TOML_BOOLEAN);
    value->truth = truth;
    return value;
}

struct toml_value *toml_get(const struct toml_value *table, const char *key)
{
    assert(table->type == TOML_TABLE);
    for (uint32_t i = 0; i < table->table.count; i++)
        if (strcmp(table->table.items[i].key, key) == 0)
            return table->table.items[i].value;
    return NULL;
}

// Room for one more item than `count`.
static void *grow(struct arena *arena, void *items, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity == 0 ? 8 : *capacity * 2;
    void *larger = arena_allocate_array(arena, *capacity, size);
    if (count > 0)
        memcpy(larger, items, count * size);
    return larger;
}

void toml_set(struct toml_value *table, struct arena *arena, const char *key,
              struct toml_value *value)
{
    assert(table->type == TOML_TABLE && value != NULL);
    for (uint32_t i = 0; i < table->table.count; i++)
        if (strcmp(table->table.items[i].key, key) == 0) {
            table->table.items[i].value = value;
            return;
        }
    table->table.items = grow(arena, table->table.items, table->table.count, &table->table.capacity,
                              sizeof *table->table.items);
    table->table.items[table->table.count++] =
        (struct toml_entry){arena_copy_string(arena, key), value};
}

void toml_remove(struct toml_value *table, const char *key)
{
    assert(table->type == TOML_TABLE);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->table.count; i++)
        if (strcmp(table->table.items[i].key, key) != 0)
            table->table.items[kept++] = table->table.items[i];
    table->table.count = kept;
}

void toml_append(struct toml_value *array, struct arena *arena, struct toml_value *value)
{
    assert(array->type == TOML_ARRAY && value != NULL);
    array->array.items = grow(arena, array->array.items, array->array.count, &array->array.capacity,
                              sizeof *array->array.items);
    array->array.items[array->array.count++] = value;
}

const char *toml_type_name(enum toml_type type)
{
    static const char *const names[] = {
        [TOML_STRING] = "a string",   [TOML_INTEGER] = "an integer", [TOML_FLOAT] = "a float",
        [TOML_BOOLEAN] = "a boolean", [TOML_INSTANT] = "a date",     [TOML_ARRAY] = "an array",
        [TOML_TABLE] = "a table",
    };
    assert((size_t)type < ARRAY_LENGTH(names));
    return names[type];
}
