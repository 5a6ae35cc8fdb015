// Values of TOML 1.0 in arena memory. Tables keep the order of their keys' first appearance.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

enum toml_type {
    TOML_STRING,
    TOML_INTEGER,
    TOML_FLOAT,
    TOML_BOOLEAN,
    TOML_INSTANT, // date, time or both, as text in the form in which it is written
    TOML_ARRAY,
    TOML_TABLE,
};
// How a table came to be decides how it may grow.
enum toml_origin {
    TOML_BY_PATH,   // implied by a longer header
    TOML_BY_HEADER, // complete at the end of its section, but for tables below it
    TOML_BY_DOTTED, // by dotted keys: grows by them alone
    TOML_INLINE,    // and arrays as values: complete
};
struct toml_entry;
struct toml_value {
    enum toml_type type;
    enum toml_origin origin; // of tables and arrays
    union {
        const char *text;
        int64_t integer;
        double number;
        bool truth;
        struct {
            struct toml_value **items;
            uint32_t count, capacity;
        } array;
        struct {
            struct toml_entry *items;
            uint32_t count, capacity;
        } table;
    };
};
struct toml_entry {
    const char *key;
    struct toml_value *value;
};

struct toml_value *toml_table(struct arena *arena); // empty
struct toml_value *toml_array(struct arena *arena);
struct toml_value *toml_string(struct arena *arena, const char *text); // copied; not NULL
struct toml_value *toml_integer(struct arena *arena, int64_t number);
struct toml_value *toml_boolean(struct arena *arena, bool truth);

struct toml_value *toml_get(const struct toml_value *table, const char *key); // NULL if absent
// Replaces the key's value or adds it at the end; the key is copied.
void toml_set(struct toml_value *table, struct arena *arena, const char *key,
              struct toml_value *value);
void toml_remove(struct toml_value *table, const char *key); // or nothing
void toml_append(struct toml_value *array, struct arena *arena, struct toml_value *value);
const char *toml_type_name(enum toml_type type); // "a string"
