#include "engine/problem/volume_claims.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engine/problem/object_index.h"

static void index_namespaces(struct problem *problem)
{
    static const struct string_map none;
    const char *last = NULL;
    problem->topology.namespaces = map_create();
    for (uint32_t i = 0; i < problem->snapshot->objects[KIND_NAMESPACE].count; i++) {
        const struct object *object = problem->snapshot->objects[KIND_NAMESPACE].items[i];
        map_set(problem->topology.namespaces, object->meta.name,
                (void *)(uintptr_t)&object->meta.labels);
    }
    for (uint32_t i = 0; i < problem->snapshot->objects[KIND_POD].count; i++) {
        const struct object *pod = problem->snapshot->objects[KIND_POD].items[i];
        bool known = last != NULL && strcmp(last, pod->meta.namespace) == 0;
        last = pod->meta.namespace;
        if (known || map_get(problem->topology.namespaces, pod->meta.namespace) != NULL)
            continue;
        struct string_map *labels = arena_allocate(problem->arena, sizeof *labels);
        *labels = none; // the input lacks the namespace: only the default label is known
        labels->items = arena_allocate(problem->arena, sizeof *labels->items);
        labels->items[0] = (struct string_pair){"kubernetes.io/metadata.name", pod->meta.namespace};
        labels->count = 1;
        map_set(problem->topology.namespaces, pod->meta.namespace, labels);
    }
}

void volumes_index(struct problem *problem)
{
    const struct snapshot *snapshot = problem->snapshot;
    problem->volumes.claims = object_index(snapshot, KIND_PERSISTENT_VOLUME_CLAIM, true);
    problem->volumes.items = object_index(snapshot, KIND_PERSISTENT_VOLUME, false);
    problem->volumes.storage_classes = object_index(snapshot, KIND_STORAGE_CLASS, false);
    problem->volumes.csi_nodes = object_index(snapshot, KIND_CSI_NODE, false);
    index_namespaces(problem);
}

// The claim's name (SCH-330). NULL for other kinds of volumes.
const char *volume_claim_name(struct arena *arena, const struct pod *pod,
                              const struct volume *volume)
{
    if (volume->persistent_volume_claim != NULL)
        return volume->persistent_volume_claim->claim_name;
    if (volume->ephemeral != NULL)
        return arena_format(arena, "%s-%s", pod->meta.name, volume->name);
    return NULL;
}

const struct persistent_volume_claim *volume_claim_find(const struct problem *problem,
                                                        const char *namespace, const char *name)
{
    char key[600];
    snprintf(key, sizeof key, "%s/%s", namespace, name);
    return map_get(problem->volumes.claims, key);
}
