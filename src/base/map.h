// Hash map from string to pointer, iterated in order of insertion (so that results never depend on
// hashes). Keys are copied. Backed by uthash.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map;

struct map *map_create(void);
void map_destroy(struct map *map, void (*free_value)(void *value)); // free_value may be NULL
size_t map_count(const struct map *map);
void *map_get(const struct map *map, const char *key); // NULL if absent
void *map_get_bytes(const struct map *map, const char *key, size_t length);
// Returns the previous value (NULL if none). value must not be NULL.
void *map_set(struct map *map, const char *key, void *value);
// The value of the key; a missing one becomes a zeroed block of memory_allocate().
void *map_ensure(struct map *map, const char *key, size_t size);
void *map_remove(struct map *map, const char *key); // returns the value, NULL if absent

// Iteration: `for (struct map_entry *e = map_first(m); e != NULL; e = map_next(e))`.
// Removing the current entry while iterating is allowed if the next one was fetched before.
struct map_entry;
struct map_entry *map_first(const struct map *map);
struct map_entry *map_next(const struct map_entry *entry);
const char *map_key(const struct map_entry *entry);
void *map_value(const struct map_entry *entry);
