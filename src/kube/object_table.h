// Objects of one kind by (namespace, name): a dense array and an open-addressed index into it, 16
// bytes an object beside the object itself. Holds a reference to each.
#pragma once

#include "model/schema/object.h"

struct object_entry {
    struct object *object;
    uint32_t hash;
    uint32_t epoch; // of the last list that had it (kube/mirror.c)
};
struct object_table { // zero-initialised is empty; free with object_table_free()
    struct object_entry *entries;
    uint32_t count, capacity;
    uint32_t *slots;      // index + 1; 0: free
    uint32_t slots_count; // a power of two, or 0
};
// NULL if absent; valid until the next put or remove. A NULL namespace is "".
struct object_entry *object_table_find(const struct object_table *table, const char *namespace,
                                       const char *name);
// The object must not be in the table. Takes over the reference.
struct object_entry *object_table_add(struct object_table *table, struct object *object);
// Gives the reference back to the caller. The last entry moves into the gap.
struct object *object_table_remove(struct object_table *table, struct object_entry *entry);
void object_table_free(struct object_table *table);
