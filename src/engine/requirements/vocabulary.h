// Words of one computation: label keys and label values as small integers. Facts of each word: the
// key behind an alias, whether a key is well known, whether a value is an integer.
//
// Identifiers follow first use; no plan may depend on them. Lifetime: the computation's.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/symbols.h"

struct value_facts {
    bool is_integer; // as Go's Atoi reads it (SCH-64)
    int64_t integer;
};

struct vocabulary {
    struct arena *arena;
    struct symbols *keys, *values;
    struct value_facts *facts; // by value
    uint32_t facts_count, facts_capacity;
    bool *well_known; // by key (SCH-31, SCH-81)
    uint32_t well_known_count, well_known_capacity;
};

struct vocabulary *vocabulary_create(void);
void vocabulary_destroy(struct vocabulary *vocabulary);

// The key's identifier, aliases mapped (SCH-62). A missing text (bad input) is the empty one.
uint32_t vocabulary_key(struct vocabulary *vocabulary, const char *text);
uint32_t vocabulary_value(struct vocabulary *vocabulary, const char *text);
// SYMBOL_NONE if the word is not interned yet.
uint32_t vocabulary_find_key(const struct vocabulary *vocabulary, const char *text);
uint32_t vocabulary_find_value(const struct vocabulary *vocabulary, const char *text);

static inline const char *vocabulary_key_text(const struct vocabulary *vocabulary, uint32_t key)
{
    return symbols_text(vocabulary->keys, key);
}
static inline const char *vocabulary_value_text(const struct vocabulary *vocabulary, uint32_t value)
{
    return symbols_text(vocabulary->values, value);
}
static inline uint32_t vocabulary_key_count(const struct vocabulary *vocabulary)
{
    return symbols_count(vocabulary->keys);
}

// The core's well-known keys are marked from the start; providers add theirs with this function.
void vocabulary_mark_well_known(struct vocabulary *vocabulary, uint32_t key);
static inline bool vocabulary_is_well_known(const struct vocabulary *vocabulary, uint32_t key)
{
    return key < vocabulary->well_known_count && vocabulary->well_known[key];
}

// Sorts values by their text.
void vocabulary_sort_values(const struct vocabulary *vocabulary, uint32_t *values, uint32_t count);
