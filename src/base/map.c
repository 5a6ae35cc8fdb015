#include "base/map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define HASH_FUNCTION(key, length, hash) ((hash) = (unsigned)hash_bytes((key), (length)))
#define uthash_malloc(size)              memory_allocate(size)
#include <uthash.h>

struct map_entry {
    void *value;
    UT_hash_handle hh;
    char key[];
};

struct map {
    struct map_entry *entries; // uthash's list: in order of insertion
};

static struct map_entry *map_find(const struct map *map, const char *key, size_t length);

struct map *map_create(void)
{
    return memory_allocate(sizeof(struct map));
}

void map_destroy(struct map *map, void (*free_value)(void *value))
{
    if (map == NULL)
        return;
    struct map_entry *entry = map->entries, *next;
    HASH_CLEAR(hh, map->entries); // the table; the list of entries stays
    for (; entry != NULL; entry = next) {
        next = entry->hh.next;
        if (free_value != NULL)
            free_value(entry->value);
        free(entry);
    }
    free(map);
}

size_t map_count(const struct map *map)
{
    return HASH_COUNT(map->entries);
}

void *map_get(const struct map *map, const char *key)
{
    return map_get_bytes(map, key, strlen(key));
}

void *map_get_bytes(const struct map *map, const char *key, size_t length)
{
    assert(map != NULL);
    assert(key != NULL);
    struct map_entry *entry = map_find(map, key, length);
    return entry == NULL ? NULL : entry->value;
}

void *map_set(struct map *map, const char *key, void *value)
{
    assert(map != NULL);
    assert(key != NULL);
    assert(value != NULL);
    size_t length = strlen(key);
    struct map_entry *entry = map_find(map, key, length);
    if (entry != NULL) {
        void *before = entry->value;
        entry->value = value;
        return before;
    }
    entry = memory_allocate(sizeof *entry + length + 1);
    entry->value = value;
    memcpy(entry->key, key, length + 1);
    HASH_ADD_KEYPTR(hh, map->entries, entry->key, length, entry);
    return NULL;
}

void *map_ensure(struct map *map, const char *key, size_t size)
{
    assert(size > 0);
    void *value = map_get(map, key);
    if (value == NULL) {
        value = memory_allocate(size);
        map_set(map, key, value);
    }
    return value;
}

void *map_remove(struct map *map, const char *key)
{
    assert(map != NULL);
    assert(key != NULL);
    struct map_entry *entry = map_find(map, key, strlen(key));
    if (entry == NULL)
        return NULL;
    void *value = entry->value;
    assert(value != NULL);
    HASH_DEL(map->entries, entry);
    free(entry);
    return value;
}

static struct map_entry *map_find(const struct map *map, const char *key, size_t length)
{
    struct map_entry *entry;
    HASH_FIND(hh, map->entries, key, length, entry);
    return entry;
}

struct map_entry *map_first(const struct map *map)
{
    return map->entries;
}

struct map_entry *map_next(const struct map_entry *entry)
{
    return entry->hh.next;
}

const char *map_key(const struct map_entry *entry)
{
    return entry->key;
}

void *map_value(const struct map_entry *entry)
{
    return entry->value;
}
