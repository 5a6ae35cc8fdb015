#include "sim/store/store_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

#define LEVELS_MAX 20

struct index {
    uint32_t count;
    struct random random; // of heights only: the order never depends on it
    struct index_node *head;
};

static struct index_node *node_create(const char *key, void *value, uint32_t levels)
{
    struct index_node *node = memory_allocate(sizeof *node + levels * sizeof(struct index_node *));
    node->key = memory_copy_string(key);
    node->value = value;
    node->levels = levels;
    return node;
}

static void node_destroy(struct index_node *node)
{
    free(node->key);
    free(node);
}

struct index *index_create(void)
{
    struct index *index = memory_allocate(sizeof *index);
    random_seed(&index->random, 1);
    index->head = node_create("", NULL, LEVELS_MAX);
    return index;
}

void index_destroy(struct index *index, void (*free_value)(void *value))
{
    for (struct index_node *node = index->head->next[0]; node != NULL;) {
        struct index_node *next = node->next[0];
        if (free_value != NULL)
            free_value(node->value);
        node_destroy(node);
        node = next;
    }
    node_destroy(index->head);
    free(index);
}

uint32_t index_count(const struct index *index)
{
    return index->count;
}

// The first node at or after `key`; `before` (may be NULL) gets its predecessor on every level.
static struct index_node *find(const struct index *index, const char *key,
                               struct index_node **before)
{
    struct index_node *node = index->head;
    for (int level = LEVELS_MAX - 1; level >= 0; level--) {
        while (node->next[level] != NULL && strcmp(node->next[level]->key, key) < 0)
            node = node->next[level];
        if (before != NULL)
            before[level] = node;
    }
    return node->next[0];
}

struct index_node *index_seek(const struct index *index, const char *key)
{
    return find(index, key, NULL);
}

void *index_get(const struct index *index, const char *key)
{
    struct index_node *node = find(index, key, NULL);
    return node != NULL && strcmp(node->key, key) == 0 ? node->value : NULL;
}

// Each level is a quarter as populated as the one below it.
static uint32_t random_levels(struct index *index)
{
    uint64_t bits = random_next(&index->random);
    uint32_t levels = 1;
    while (levels < LEVELS_MAX && (bits & 3) == 0) {
        levels++;
        bits >>= 2;
    }
    return levels;
}

void *index_set(struct index *index, const char *key, void *value)
{
    assert(value != NULL);
    struct index_node *before[LEVELS_MAX];
    struct index_node *node = find(index, key, before);
    if (node != NULL && strcmp(node->key, key) == 0) {
        void *old = node->value;
        node->value = value;
        return old;
    }
    node = node_create(key, value, random_levels(index));
    for (uint32_t level = 0; level < node->levels; level++) {
        node->next[level] = before[level]->next[level];
        before[level]->next[level] = node;
    }
    index->count++;
    return NULL;
}

void *index_remove(struct index *index, const char *key)
{
    struct index_node *before[LEVELS_MAX];
    struct index_node *node = find(index, key, before);
    if (node == NULL || strcmp(node->key, key) != 0)
        return NULL;
    for (uint32_t level = 0; level < node->levels; level++)
        before[level]->next[level] = node->next[level];
    void *value = node->value;
    node_destroy(node);
    index->count--;
    return value;
}
