#include "model/snapshot/snapshot.h"

#include <assert.h>
#include <stdlib.h>

#include "base/vector.h"
#include "model/reading/settings_read.h"

struct snapshot *snapshot_create(void)
{
    struct snapshot *snapshot = memory_allocate(sizeof *snapshot);
    snapshot->arena = arena_create(65536);
    settings_defaults(&snapshot->settings);
    return snapshot;
}

void snapshot_destroy(struct snapshot *snapshot)
{
    if (snapshot == NULL)
        return;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < snapshot->objects[kind].count; i++)
            object_release(snapshot->objects[kind].items[i]);
        vector_free(&snapshot->objects[kind]);
    }
    for (uint32_t i = 0; i < snapshot->kept.count; i++)
        object_release(snapshot->kept.items[i]);
    vector_free(&snapshot->kept);
    settings_free(&snapshot->settings);
    vector_free(&snapshot->skipped);
    arena_destroy(snapshot->arena);
    free(snapshot);
}

void snapshot_add(struct snapshot *snapshot, const struct object *object)
{
    assert(object->kind->id < KIND_COUNT);
    assert(object->kind->id != KIND_SNAPSHOT_CONTEXT);
    vector_push(&snapshot->objects[object->kind->id], object_acquire(object));
}

void snapshot_keep(struct snapshot *snapshot, const struct object *object)
{
    assert(object != NULL);
    vector_push(&snapshot->kept, object_acquire(object));
}
