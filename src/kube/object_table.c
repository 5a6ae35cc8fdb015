#include "kube/object_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#define SLOTS_MIN 16

static uint32_t hash_of(const char *namespace, const char *name);
static uint32_t slot_of(const struct object_table *table, const struct object_entry *entry);
static void grow(struct object_table *table);
static void insert_slot(struct object_table *table, uint32_t index);
static void free_slot(struct object_table *table, uint32_t slot);

struct object_entry *object_table_find(const struct object_table *table, const char *namespace,
                                       const char *name)
{
    assert(name != NULL);
    if (table->count == 0)
        return NULL;
    uint32_t hash = hash_of(namespace, name), mask = table->slots_count - 1;
    for (uint32_t slot = hash & mask; table->slots[slot] != 0; slot = (slot + 1) & mask) {
        struct object_entry *entry = &table->entries[table->slots[slot] - 1];
        const struct object_meta *meta = &entry->object->meta;
        if (entry->hash == hash && strcmp(meta->name, name) == 0 &&
            strcmp(text_or_empty(meta->namespace), text_or_empty(namespace)) == 0)
            return entry;
    }
    return NULL;
}

struct object_entry *object_table_add(struct object_table *table, struct object *object)
{
    assert(object->meta.name != NULL);
    grow(table);
    assert(table->count < table->capacity);
    assert(table->count < table->slots_count);
    struct object_entry *entry = &table->entries[table->count++];
    *entry = (struct object_entry){.object = object,
                                   .hash = hash_of(object->meta.namespace, object->meta.name)};
    insert_slot(table, table->count - 1);
    return entry;
}

struct object *object_table_remove(struct object_table *table, struct object_entry *entry)
{
    assert(entry >= table->entries);
    assert(entry < table->entries + table->count);
    struct object *object = entry->object;
    free_slot(table, slot_of(table, entry));
    struct object_entry *last = &table->entries[table->count - 1];
    if (entry != last) {
        table->slots[slot_of(table, last)] = (uint32_t)(entry - table->entries) + 1;
        *entry = *last;
    }
    table->count--;
    return object;
}

void object_table_free(struct object_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        object_release(table->entries[i].object);
    free(table->entries);
    free(table->slots);
    *table = (struct object_table){0};
}

static uint32_t hash_of(const char *namespace, const char *name)
{
    return (uint32_t)hash_mix(hash_string(text_or_empty(namespace)), hash_string(name));
}

static uint32_t slot_of(const struct object_table *table, const struct object_entry *entry)
{
    assert(table->slots_count > 0);
    uint32_t index = (uint32_t)(entry - table->entries) + 1, mask = table->slots_count - 1;
    uint32_t slot = entry->hash & mask;
    while (table->slots[slot] != index) {
        assert(table->slots[slot] != 0);
        slot = (slot + 1) & mask;
    }
    return slot;
}

// Entries grow by a half; at least a third of the slots stays free.
static void grow(struct object_table *table)
{
    assert(table->count <= table->capacity);
    if (table->count == table->capacity) {
        table->capacity = table->capacity < 8 ? 8 : table->capacity + table->capacity / 2;
        table->entries = memory_resize(table->entries, table->capacity * sizeof *table->entries);
    }
    if ((table->count + 1) * 3 <= table->slots_count * 2)
        return;
    table->slots_count = table->slots_count == 0 ? SLOTS_MIN : table->slots_count * 2;
    assert((table->slots_count & (table->slots_count - 1)) == 0);
    free(table->slots);
    table->slots = memory_allocate_array(table->slots_count, sizeof *table->slots);
    for (uint32_t i = 0; i < table->count; i++)
        insert_slot(table, i);
}

static void insert_slot(struct object_table *table, uint32_t index)
{
    assert(index < table->count);
    uint32_t mask = table->slots_count - 1, slot = table->entries[index].hash & mask;
    while (table->slots[slot] != 0)
        slot = (slot + 1) & mask;
    table->slots[slot] = index + 1;
}

// Closes the gap by moving up each follower that may move, so that no search ends too early.
static void free_slot(struct object_table *table, uint32_t slot)
{
    assert(table->slots[slot] != 0);
    uint32_t mask = table->slots_count - 1;
    for (uint32_t next = (slot + 1) & mask; table->slots[next] != 0; next = (next + 1) & mask) {
        uint32_t home = table->entries[table->slots[next] - 1].hash & mask;
        if (((next - home) & mask) >= ((next - slot) & mask)) {
            table->slots[slot] = table->slots[next];
            slot = next;
        }
    }
    table->slots[slot] = 0;
}
