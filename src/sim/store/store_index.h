// An ordered map from text to pointer (a skip list): lookups, insertions and removals in O(log n),
// iteration in byte order from any key on.
#pragma once

#include <stdint.h>

struct index;
struct index_node {
    char *key;
    void *value;
    uint32_t levels;
    struct index_node *next[];
};

struct index *index_create(void);
void index_destroy(struct index *index, void (*free_value)(void *value)); // free_value may be NULL
uint32_t index_count(const struct index *index);
void *index_get(const struct index *index, const char *key);        // NULL if absent
void *index_set(struct index *index, const char *key, void *value); // the value before, or NULL
void *index_remove(struct index *index, const char *key);           // the value, or NULL
struct index_node *index_seek(const struct index *index, const char *key); // first >= key, or NULL
static inline struct index_node *index_next(const struct index_node *node)
{
    return node->next[0];
}
