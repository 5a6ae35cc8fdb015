#include "engine/requirements/vocabulary.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/tables/well_known.h"

struct vocabulary *vocabulary_create(void)
{
    struct vocabulary *vocabulary = memory_allocate(sizeof *vocabulary);
    vocabulary->arena = arena_create(4096);
    vocabulary->keys = symbols_create();
    vocabulary->values = symbols_create();
    for (const char *const *key = well_known_core; *key != NULL; key++)
        vocabulary_mark_well_known(vocabulary, vocabulary_key(vocabulary, *key));
    return vocabulary;
}

void vocabulary_destroy(struct vocabulary *vocabulary)
{
    if (vocabulary == NULL)
        return;
    symbols_destroy(vocabulary->keys);
    symbols_destroy(vocabulary->values);
    free(vocabulary->facts);
    free(vocabulary->well_known);
    arena_destroy(vocabulary->arena);
    free(vocabulary);
}

uint32_t vocabulary_key(struct vocabulary *vocabulary, const char *text)
{
    return symbols_intern(vocabulary->keys, text != NULL ? label_alias_target(text) : "");
}

uint32_t vocabulary_value(struct vocabulary *vocabulary, const char *text)
{
    uint32_t value = symbols_intern(vocabulary->values, text != NULL ? text : "");
    if (value < vocabulary->facts_count)
        return value;
    if (value >= vocabulary->facts_capacity) {
        vocabulary->facts_capacity =
            vocabulary->facts_capacity == 0 ? 256 : 2 * vocabulary->facts_capacity;
        vocabulary->facts = memory_resize(vocabulary->facts,
                                          vocabulary->facts_capacity * sizeof *vocabulary->facts);
    }
    assert(value == vocabulary->facts_count);
    struct value_facts *facts = &vocabulary->facts[vocabulary->facts_count++];
    facts->integer = 0;
    facts->is_integer = text != NULL && text_parse_int64(text, &facts->integer);
    return value;
}

uint32_t vocabulary_find_key(const struct vocabulary *vocabulary, const char *text)
{
    return symbols_find(vocabulary->keys, text != NULL ? label_alias_target(text) : "");
}

uint32_t vocabulary_find_value(const struct vocabulary *vocabulary, const char *text)
{
    return symbols_find(vocabulary->values, text);
}

void vocabulary_mark_well_known(struct vocabulary *vocabulary, uint32_t key)
{
    assert(key < symbols_count(vocabulary->keys));
    if (key >= vocabulary->well_known_capacity) {
        uint32_t capacity = key < 32 ? 64 : 2 * key;
        vocabulary->well_known = memory_resize(vocabulary->well_known, capacity);
        vocabulary->well_known_capacity = capacity;
    }
    while (vocabulary->well_known_count <= key)
        vocabulary->well_known[vocabulary->well_known_count++] = false;
    vocabulary->well_known[key] = true;
}

static int compare_value_texts(const void *a, const void *b, void *context)
{
    const struct vocabulary *vocabulary = context;
    return strcmp(vocabulary_value_text(vocabulary, *(const uint32_t *)a),
                  vocabulary_value_text(vocabulary, *(const uint32_t *)b));
}

void vocabulary_sort_values(const struct vocabulary *vocabulary, uint32_t *values, uint32_t count)
{
    qsort_r(values, count, sizeof *values, compare_value_texts, (void *)(uintptr_t)vocabulary);
}
