#include "model/snapshot/snapshot_overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/reading/settings_read.h"
#include "model/schema/decode.h"
#include "model/schema/drift_hash.h"
#include "model/schema/ec2_node_class.h"
#include "model/schema/encode.h"
#include "model/schema/pack.h"
#include "model/snapshot/admission.h"
#include "model/snapshot/workloads.h"
#include "model/tables/kinds.h"

struct overlaying {
    struct arena *arena;
    struct snapshot *result;
    struct map *places; // "kind namespace/name" -> index of the result's list + 1
    VECTOR(struct object_change) changes;
};

// --- places --------------------------------------------------------------------------------------

static const char *namespace_of(const struct kind *kind, const char *namespace)
{
    if (!kind->namespaced)
        return "";
    return text_is_empty(namespace) ? "default" : namespace;
}

static const char *key_of(struct arena *arena, const struct kind *kind, const char *namespace,
                          const char *name)
{
    return arena_format(arena, "%d %s/%s", kind->id, namespace_of(kind, namespace),
                        text_or_empty(name));
}

static void note_place(struct overlaying *overlaying, const struct object *object, uint32_t index)
{
    map_set(overlaying->places,
            key_of(overlaying->arena, object->kind, object->meta.namespace, object->meta.name),
            (void *)(uintptr_t)(index + 1));
}

static const struct object **place_of(struct overlaying *overlaying, const struct kind *kind,
                                      const char *namespace, const char *name)
{
    uintptr_t place =
        (uintptr_t)map_get(overlaying->places, key_of(overlaying->arena, kind, namespace, name));
    return place > 0 ? &overlaying->result->objects[kind->id].items[place - 1] : NULL;
}

struct snapshot *snapshot_copy_context(const struct snapshot *snapshot)
{
    struct snapshot *copy = snapshot_create();
    settings_free(&copy->settings);
    settings_copy(&copy->settings, &snapshot->settings);
    copy->time = snapshot->time;
    copy->require_unschedulable_condition = snapshot->require_unschedulable_condition;
    const struct string_list *lists[] = {&snapshot->marked_for_deletion, &snapshot->buffer_nodes};
    struct string_list *copies[] = {&copy->marked_for_deletion, &copy->buffer_nodes};
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
        copies[i]->items =
            arena_allocate_array(copy->arena, lists[i]->count + 1, sizeof *copies[i]->items);
        for (uint32_t n = 0; n < lists[i]->count; n++)
            copies[i]->items[copies[i]->count++] =
                arena_copy_string(copy->arena, lists[i]->items[n]);
    }
    copy->nominated.items = arena_allocate_array(copy->arena, snapshot->nominated.count + 1,
                                                 sizeof *copy->nominated.items);
    list_for_each (nomination, &snapshot->nominated) {
        struct nomination *to = &copy->nominated.items[copy->nominated.count++];
        *to = (struct nomination){arena_copy_string(copy->arena, nomination->node),
                                  nomination->until};
    }
    return copy;
}

void snapshot_replace(struct snapshot *snapshot, struct object *object)
{
    enum kind_id kind = object->kind->id;
    for (uint32_t i = 0; i < snapshot->objects[kind].count; i++) {
        const struct object **slot = &snapshot->objects[kind].items[i];
        if (!text_equal((*slot)->meta.name, object->meta.name) ||
            strcmp(namespace_of(object->kind, (*slot)->meta.namespace),
                   namespace_of(object->kind, object->meta.namespace)) != 0)
            continue;
        object_release(*slot);
        *slot = object;
        return;
    }
    snapshot_add(snapshot, object);
    object_release(object);
}

// --- one object ----------------------------------------------------------------------------------

// Members of `json`[key] that only `before` has are added.
static void keep_members(json_t *json, const json_t *before, const char *key)
{
    const json_t *kept = json_object_get(before, key);
    if (kept == NULL)
        return;
    json_t *merged = json_copy((json_t *)kept);
    if (json_object_get(json, key) != NULL)
        json_object_update(merged, json_object_get(json, key));
    json_object_set_new(json, key, merged);
}

static bool is_scaled_by_others(const struct kind *kind)
{
    return kind->id == KIND_DEPLOYMENT || kind->id == KIND_STATEFUL_SET ||
           kind->id == KIND_REPLICA_SET;
}

// The document that an API server would hold after the edit.
static json_t *merge(const struct object *before, const struct object *edit)
{
    static const char *const kept[] = {"uid",        "creationTimestamp", "ownerReferences",
                                       "finalizers", "generation",        "namespace"};
    json_t *old = object_encode(before), *new = object_encode(edit);
    json_t *old_meta = json_object_get(old, "metadata"), *meta = json_object_get(new, "metadata");
    for (size_t i = 0; i < ARRAY_LENGTH(kept); i++)
        if (json_object_get(old_meta, kept[i]) != NULL)
            json_object_set(meta, kept[i], json_object_get(old_meta, kept[i]));
    keep_members(meta, old_meta, "labels");
    keep_members(meta, old_meta, "annotations");
    if (json_object_get(old, "status") != NULL)
        json_object_set(new, "status", json_object_get(old, "status"));
    else
        json_object_del(new, "status");
    json_t *spec = json_object_get(new, "spec");
    const json_t *replicas = json_object_get(json_object_get(old, "spec"), "replicas");
    if (is_scaled_by_others(before->kind) && json_object_get(spec, "replicas") == NULL &&
        replicas != NULL)
        json_object_set_new(spec, "replicas", json_copy((json_t *)replicas));
    if (before->kind->id == KIND_POD) // admission has filled it in
        keep_members(new, old, "spec");
    json_decref(old);
    return new;
}

// --- drift hashes --------------------------------------------------------------------------------

static void annotate(json_t *document, const char *key, const char *value)
{
    json_t *meta = json_object_get(document, "metadata");
    json_t *annotations = json_object_get(meta, "annotations");
    if (annotations == NULL) {
        annotations = json_object();
        json_object_set_new(meta, "annotations", annotations);
    }
    json_object_set_new(annotations, key, json_string(value));
}

static bool has_version(const struct object *object, const char *key, const char *version)
{
    return object != NULL && text_equal(object_annotation(object, key), version);
}

// The cluster's certificates are part of the hash (AWN-75) by exclusive or, as is the rest of it:
// what the edit changes is known without them.
static bool class_hash(const struct object *before, const struct object *after, char out[24])
{
    char from[24], to[24];
    const char *present = object_annotation(before, ANNOTATION_EC2_HASH);
    if (present == NULL ||
        !has_version(before, ANNOTATION_EC2_HASH_VERSION, EC2_NODE_CLASS_HASH_VERSION))
        return false;
    ec2_node_class_hash((const struct ec2_node_class *)before, NULL, from);
    ec2_node_class_hash((const struct ec2_node_class *)after, NULL, to);
    unsigned long long hash =
        strtoull(present, NULL, 10) ^ strtoull(from, NULL, 10) ^ strtoull(to, NULL, 10);
    snprintf(out, 24, "%llu", hash);
    return true;
}

// The annotations that the controllers of hashes would write.
static struct object *with_hash(const struct object *before, struct object *after,
                                struct error *error)
{
    char hash[24];
    const char *key = ANNOTATION_NODE_POOL_HASH;
    const char *version_key = ANNOTATION_NODE_POOL_HASH_VERSION, *version = NODE_POOL_HASH_VERSION;
    if (after->kind->id == KIND_EC2_NODE_CLASS && before != NULL) {
        key = ANNOTATION_EC2_HASH;
        version_key = ANNOTATION_EC2_HASH_VERSION;
        version = EC2_NODE_CLASS_HASH_VERSION;
        if (!class_hash(before, after, hash))
            return after;
    } else if (after->kind->id == KIND_NODE_POOL) {
        node_pool_hash((const struct node_pool *)after, hash);
    } else {
        return after;
    }
    json_t *document = object_encode(after);
    annotate(document, key, hash);
    annotate(document, version_key, version);
    struct object *annotated = object_decode(document, after->kind, DECODE_LENIENT, error);
    json_decref(document);
    object_release(after);
    return annotated;
}

// --- the edit ------------------------------------------------------------------------------------

// A new object gets what every object of a cluster has.
static struct object *complete(struct overlaying *overlaying, const struct object *edit)
{
    struct object *copy = arena_allocate(overlaying->arena, edit->kind->type->size);
    memcpy(copy, edit, edit->kind->type->size);
    if (edit->kind->namespaced)
        copy->meta.namespace = namespace_of(edit->kind, edit->meta.namespace);
    if (text_is_empty(copy->meta.uid))
        copy->meta.uid =
            derived_uid(overlaying->arena, edit->kind->name, copy->meta.namespace, edit->meta.name);
    if (edit->kind->id == KIND_POD)
        pod_admit(overlaying->result, (struct pod *)copy);
    return object_copy(copy);
}

static void add_change(struct overlaying *overlaying, const struct object *before,
                       const struct object *after)
{
    struct object_change change = {.before = before, .after = after};
    if (before == NULL) {
        change.kind = CHANGE_ADDED;
    } else if (after == NULL) {
        change.kind = CHANGE_REMOVED;
    } else {
        change.fields = field_changes_find(overlaying->arena, before, after);
        change.kind = change.fields.count > 0 ? CHANGE_EDITED : CHANGE_NONE;
    }
    vector_push(&overlaying->changes, change);
}

static bool apply(struct overlaying *overlaying, const struct object *edit, struct error *error)
{
    const struct object **place =
        place_of(overlaying, edit->kind, edit->meta.namespace, edit->meta.name);
    const struct object *before = place != NULL ? *place : NULL;
    struct object *after;
    if (before != NULL) {
        json_t *document = merge(before, edit);
        after = object_decode(document, edit->kind, DECODE_LENIENT, error);
        json_decref(document);
    } else {
        after = complete(overlaying, edit);
    }
    after = after != NULL ? with_hash(before, after, error) : NULL;
    if (after == NULL)
        return false;
    add_change(overlaying, before, after);
    if (before != NULL &&
        overlaying->changes.items[overlaying->changes.count - 1].kind == CHANGE_NONE) {
        overlaying->changes.items[overlaying->changes.count - 1].after = before;
        object_release(after);
    } else if (place != NULL) {
        snapshot_keep(overlaying->result, before);
        object_release(before);
        *place = after;
    } else {
        note_place(overlaying, after, overlaying->result->objects[after->kind->id].count);
        snapshot_add(overlaying->result, after);
        object_release(after);
    }
    return true;
}

static bool delete (struct overlaying *overlaying, const struct object_name *name,
                    struct error *error)
{
    const struct kind *kind = kind_get(name->kind);
    const struct object **place = place_of(overlaying, kind, name->namespace, name->name);
    if (place == NULL || *place == NULL)
        return error_set(error, ERROR_INVALID, "--delete %s/%s%s%s: there is no such object",
                         kind->singular,
                         kind->namespaced ? namespace_of(kind, name->namespace) : "",
                         kind->namespaced ? "/" : "", name->name);
    add_change(overlaying, *place, NULL);
    snapshot_keep(overlaying->result, *place);
    object_release(*place);
    *place = NULL;
    return true;
}

// The places of deleted objects.
static void close_gaps(struct snapshot *snapshot)
{
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < snapshot->objects[kind].count; i++)
            if (snapshot->objects[kind].items[i] != NULL)
                snapshot->objects[kind].items[kept++] = snapshot->objects[kind].items[i];
        snapshot->objects[kind].count = kept;
    }
}

static int by_object(const void *a, const void *b)
{
    const struct object_change *x = a, *y = b;
    const struct object *left = x->after != NULL ? x->after : x->before;
    const struct object *right = y->after != NULL ? y->after : y->before;
    int order = strcmp(left->kind->name, right->kind->name);
    if (order == 0)
        order = strcmp(text_or_empty(left->meta.namespace), text_or_empty(right->meta.namespace));
    return order != 0 ? order : strcmp(left->meta.name, right->meta.name);
}

static void take_changes(struct overlaying *overlaying, struct object_change_list *changes)
{
    *changes = (struct object_change_list){arena_allocate_array(overlaying->arena,
                                                                overlaying->changes.count + 1,
                                                                sizeof *changes->items),
                                           overlaying->changes.count};
    for (uint32_t i = 0; i < overlaying->changes.count; i++)
        changes->items[i] = overlaying->changes.items[i];
    if (changes->count > 1)
        qsort(changes->items, changes->count, sizeof *changes->items, by_object);
    vector_free(&overlaying->changes);
}

struct snapshot *snapshot_overlay(struct arena *arena, const struct snapshot *base,
                                  const struct overlay *overlay, struct object_change_list *changes,
                                  struct error *error)
{
    struct overlaying overlaying = {
        .arena = arena, .result = snapshot_copy_context(base), .places = map_create()};
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t i = 0; i < base->objects[kind].count; i++) {
            note_place(&overlaying, base->objects[kind].items[i], i);
            snapshot_add(overlaying.result, base->objects[kind].items[i]);
        }
    bool fine = true;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t i = 0; fine && i < overlay->edits->objects[kind].count; i++)
            fine = apply(&overlaying, overlay->edits->objects[kind].items[i], error);
    list_for_each (name, &overlay->deletions)
        fine = fine && delete (&overlaying, name, error);
    close_gaps(overlaying.result);
    take_changes(&overlaying, changes);
    map_destroy(overlaying.places, NULL);
    if (fine)
        return overlaying.result;
    snapshot_destroy(overlaying.result);
    return NULL;
}
