#include "engine/problem/object_index.h"

#include <stdint.h>
#include <stdio.h>

struct map *object_index(const struct snapshot *snapshot, enum kind_id kind, bool namespaced)
{
    struct map *map = map_create();
    for (uint32_t i = 0; i < snapshot->objects[kind].count; i++) {
        const struct object *object = snapshot->objects[kind].items[i];
        char name[600];
        snprintf(name, sizeof name, "%s%s%s", namespaced ? object->meta.namespace : "",
                 namespaced ? "/" : "", object->meta.name);
        map_set(map, name, (void *)(uintptr_t)object);
    }
    return map;
}
