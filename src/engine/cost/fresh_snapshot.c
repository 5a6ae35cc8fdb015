#include "engine/cost/fresh_snapshot.h"

#include "base/map.h"
#include "base/text.h"
#include "model/reading/pod.h"
#include "model/reading/settings_read.h"
#include "model/schema/pack.h"

static bool is_of_pool(const struct object *object)
{
    return string_map_get(&object->meta.labels, LABEL_NODE_POOL) != NULL;
}

static void add_waiting(struct snapshot *fresh, const struct pod *pod)
{
    struct pod waiting = *pod;
    waiting.spec.node_name = NULL;
    waiting.status.nominated_node_name = NULL;
    waiting.status.phase = "Pending";
    struct object *copy = object_copy((const struct object *)&waiting);
    snapshot_add(fresh, copy);
    object_release(copy);
}

static void add_pod(struct snapshot *fresh, const struct pod *pod, struct map *gone)
{
    const char *node = pod->spec.node_name;
    if (text_is_empty(node) || map_get(gone, node) == NULL)
        snapshot_add(fresh, (const struct object *)pod);
    else if (!pod_is_terminal(pod) && !pod_owned_by_daemon_set(pod) && !pod_owned_by_node(pod) &&
             !object_is_deleting((const struct object *)pod))
        add_waiting(fresh, pod);
}

static void add_object(struct snapshot *fresh, const struct object *object, struct map *gone)
{
    if (object->kind->id == KIND_POD)
        add_pod(fresh, (const struct pod *)object, gone);
    else if ((object->kind->id != KIND_NODE && object->kind->id != KIND_NODE_CLAIM) ||
             map_get(gone, object->meta.name) == NULL)
        snapshot_add(fresh, object);
}

struct snapshot *fresh_snapshot_without(const struct snapshot *snapshot, struct map *gone)
{
    struct snapshot *fresh = snapshot_create();
    settings_free(&fresh->settings);
    settings_copy(&fresh->settings, &snapshot->settings);
    fresh->time = snapshot->time;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t i = 0; i < snapshot->objects[kind].count; i++)
            add_object(fresh, snapshot->objects[kind].items[i], gone);
    return fresh;
}

struct snapshot *fresh_snapshot_create(const struct snapshot *snapshot)
{
    static const enum kind_id kinds[] = {KIND_NODE, KIND_NODE_CLAIM};
    struct map *gone = map_create();
    for (size_t k = 0; k < ARRAY_LENGTH(kinds); k++)
        for (uint32_t i = 0; i < snapshot->objects[kinds[k]].count; i++)
            if (is_of_pool(snapshot->objects[kinds[k]].items[i]))
                map_set(gone, snapshot->objects[kinds[k]].items[i]->meta.name, gone);
    struct snapshot *fresh = fresh_snapshot_without(snapshot, gone);
    map_destroy(gone, NULL);
    return fresh;
}
