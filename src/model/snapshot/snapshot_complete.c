#include "model/snapshot/snapshot_complete.h"

#include <assert.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/reading/settings_read.h"
#include "model/schema/pack.h"
#include "model/schema/type.h"
#include "model/snapshot/admission.h"
#include "model/snapshot/strategy.h"
#include "model/snapshot/workloads.h"
#include "model/tables/kinds.h"

// FMT-4. A pod without uid never passed an API server, so it is admitted here.
static void complete_object(struct snapshot *snapshot, const struct object **slot)
{
    const struct object *object = *slot;
    bool needs_namespace = object->kind->namespaced &&
                           (object->meta.namespace == NULL || object->meta.namespace[0] == '\0');
    bool needs_uid = object->meta.uid == NULL || object->meta.uid[0] == '\0';
    if (!needs_namespace && !needs_uid)
        return;
    struct object *changed = arena_allocate(snapshot->arena, object->kind->type->size);
    memcpy(changed, object, object->kind->type->size);
    if (needs_namespace)
        changed->meta.namespace = "default";
    if (needs_uid)
        changed->meta.uid = derived_uid(snapshot->arena, object->kind->name,
                                        changed->meta.namespace, changed->meta.name);
    if (needs_uid && object->kind->id == KIND_POD)
        pod_admit(snapshot, (struct pod *)changed);
    *slot = object_copy(changed);
    assert((*slot)->kind == object->kind);
    assert((*slot)->meta.uid != NULL);
    object_release(object);
}

void snapshot_merge_duplicates(struct snapshot *snapshot)
{
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        uint32_t count = snapshot->objects[kind].count, kept = 0;
        const struct object **objects = snapshot->objects[kind].items;
        struct map *slots = map_create(); // namespace/name -> place in `objects`
        for (uint32_t i = 0; i < count; i++) {
            const struct object_meta *meta = &objects[i]->meta;
            bool is_named = meta->name != NULL && meta->name[0] != '\0';
            struct text key = {0};
            text_format(&key, "%s/%s", meta->namespace != NULL ? meta->namespace : "default",
                        is_named ? meta->name : "");
            const struct object **before = is_named ? map_get(slots, key.data) : NULL;
            if (before != NULL) {
                object_release(*before);
                *before = objects[i];
            } else {
                objects[kept] = objects[i];
                if (is_named)
                    map_set(slots, key.data, &objects[kept]);
                kept++;
            }
            text_free(&key);
        }
        assert(kept <= count);
        snapshot->objects[kind].count = kept;
        map_destroy(slots, NULL);
    }
}

static bool check_catalogs(const struct snapshot *snapshot, struct error *error)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct object *object = snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].items[i];
        if (instance_type_catalog_check_names((const struct instance_type_catalog *)object, error))
            continue;
        struct error why = *error;
        char name[600];
        object_describe(object, name);
        return error_set(error, why.kind, "%s: %s", name, why.message);
    }
    return true;
}

// The nominated node no longer exists; its pods are planned again, as the controller does.
static void forget_lost_nominations(struct snapshot *snapshot)
{
    struct map *nodes = map_create();
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++)
        if (snapshot->objects[KIND_NODE].items[i]->meta.name != NULL)
            map_set(nodes, snapshot->objects[KIND_NODE].items[i]->meta.name, nodes);
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct object **slot = &snapshot->objects[KIND_POD].items[i];
        const struct pod *pod = (const struct pod *)*slot;
        const char *node = pod->status.nominated_node_name;
        if (node == NULL || *node == '\0' || map_get(nodes, node) != NULL)
            continue;
        struct pod changed = *pod;
        changed.status.nominated_node_name = NULL;
        *slot = object_copy((const struct object *)&changed);
        object_release((const struct object *)pod);
    }
    map_destroy(nodes, NULL);
}

bool snapshot_complete(struct snapshot *snapshot, struct error *error)
{
    if (!settings_finish(&snapshot->settings, error))
        return false;
    const struct snapshot_strategy *strategy = snapshot_strategy_of(&snapshot->settings);
    if (strategy->refuses_duplicate_types && !check_catalogs(snapshot, error))
        return false;
    // Pods last: their admission reads objects of other kinds.
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t i = 0; kind != KIND_POD && i < snapshot->objects[kind].count; i++)
            complete_object(snapshot, &snapshot->objects[kind].items[i]);
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++)
        complete_object(snapshot, &snapshot->objects[KIND_POD].items[i]);
    if (snapshot->require_unschedulable_condition && strategy->plans_unexamined_pods)
        forget_lost_nominations(snapshot);
    return workloads_expand(snapshot, error);
}
