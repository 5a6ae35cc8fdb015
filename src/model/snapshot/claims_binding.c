#include "model/snapshot/claims_binding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "model/reading/selector.h"
#include "model/tables/kinds.h"

#define BIND_COMPLETED "pv.kubernetes.io/bind-completed"

struct claims_binding {
    struct snapshot *snapshot;
    struct text *remarks;
    struct map *volumes; // name -> volume
    struct map *kept;    // namespace/name of a claim -> the volume whose claimRef names it
    struct map *used;    // names of volumes that a claim is bound to
    struct text key;
};

static const char *key_of(struct text *key, const char *namespace, const char *name)
{
    text_clear(key);
    text_format(key, "%s/%s", text_is_empty(namespace) ? "default" : namespace,
                text_or_empty(name));
    return key->data;
}

struct claims_binding *claims_binding_create(struct snapshot *snapshot, struct text *remarks)
{
    struct claims_binding *binding = memory_allocate(sizeof *binding);
    *binding = (struct claims_binding){.snapshot = snapshot,
                                       .remarks = remarks,
                                       .volumes = map_create(),
                                       .kept = map_create(),
                                       .used = map_create()};
    for (uint32_t i = 0; i < snapshot->objects[KIND_PERSISTENT_VOLUME].count; i++) {
        const struct object *object = snapshot->objects[KIND_PERSISTENT_VOLUME].items[i];
        const struct persistent_volume *volume = (const struct persistent_volume *)object;
        if (object->meta.name == NULL)
            continue;
        map_set(binding->volumes, object->meta.name, (void *)(uintptr_t)volume);
        if (volume->spec.claim_ref != NULL && volume->spec.claim_ref->name != NULL)
            map_set(binding->kept,
                    key_of(&binding->key, volume->spec.claim_ref->namespace,
                           volume->spec.claim_ref->name),
                    (void *)(uintptr_t)volume);
    }
    for (uint32_t i = 0; i < snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM].count; i++) {
        const struct persistent_volume_claim *claim =
            (const struct persistent_volume_claim *)snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM]
                .items[i];
        if (claims_binding_is_bound(claim) && claim->spec.volume_name != NULL)
            map_set(binding->used, claim->spec.volume_name, binding);
    }
    return binding;
}

void claims_binding_destroy(struct claims_binding *binding)
{
    map_destroy(binding->volumes, NULL);
    map_destroy(binding->kept, NULL);
    map_destroy(binding->used, NULL);
    text_free(&binding->key);
    free(binding);
}

bool claims_binding_is_bound(const struct persistent_volume_claim *claim)
{
    return string_map_get(&claim->meta.annotations, BIND_COMPLETED) != NULL;
}

static const struct persistent_volume *kept_for(const struct claims_binding *binding,
                                                const struct persistent_volume_claim *claim)
{
    struct text key = {0};
    const struct persistent_volume *volume =
        map_get(binding->kept, key_of(&key, claim->meta.namespace, claim->meta.name));
    text_free(&key);
    return volume;
}

bool claims_binding_is_kept(const struct claims_binding *binding,
                            const struct persistent_volume_claim *claim)
{
    return !text_is_empty(claim->spec.volume_name) || kept_for(binding, claim) != NULL;
}

// --- what fits -----------------------------------------------------------------------------------

static bool fits_modes(const struct persistent_volume_claim *claim,
                       const struct persistent_volume *volume)
{
    for (uint32_t i = 0; i < claim->spec.access_modes.count; i++)
        if (claim->spec.access_modes.items[i] != NULL &&
            !string_list_has(&volume->spec.access_modes, claim->spec.access_modes.items[i]))
            return false;
    return true;
}

// NULL, or what keeps them apart.
static const char *obstacle(const struct persistent_volume_claim *claim,
                            const struct persistent_volume *volume)
{
    if (strcmp(text_or_empty(claim->spec.storage_class_name),
               text_or_empty(volume->spec.storage_class_name)) != 0)
        return "storageClassName";
    if (!fits_modes(claim, volume))
        return "accessModes";
    if (resource_map_get(&claim->spec.resources.requests, "storage") >
        resource_map_get(&volume->spec.capacity, "storage"))
        return "storage";
    if (claim->spec.selector != NULL &&
        !label_selector_matches(claim->spec.selector, &volume->meta.labels))
        return "selector";
    return NULL;
}

static bool is_free(const struct claims_binding *binding, const struct persistent_volume *volume)
{
    return map_get(binding->used, volume->meta.name) == NULL &&
           volume->meta.deletion_timestamp == 0;
}

// The smallest, then the first by name.
static bool is_better(const struct persistent_volume *volume, const struct persistent_volume *best)
{
    if (best == NULL)
        return true;
    int64_t size = resource_map_get(&volume->spec.capacity, "storage");
    int64_t other = resource_map_get(&best->spec.capacity, "storage");
    return size != other ? size < other : strcmp(volume->meta.name, best->meta.name) < 0;
}

static const struct persistent_volume *free_volume(const struct claims_binding *binding,
                                                   const struct persistent_volume_claim *claim)
{
    const struct persistent_volume *best = NULL;
    const struct snapshot *snapshot = binding->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_PERSISTENT_VOLUME].count; i++) {
        const struct persistent_volume *volume =
            (const struct persistent_volume *)snapshot->objects[KIND_PERSISTENT_VOLUME].items[i];
        if (volume->meta.name != NULL && volume->spec.claim_ref == NULL &&
            is_free(binding, volume) && obstacle(claim, volume) == NULL && is_better(volume, best))
            best = volume;
    }
    return best;
}

// --- the choice ----------------------------------------------------------------------------------

const struct persistent_volume *claims_binding_find(struct claims_binding *binding,
                                                    const struct persistent_volume_claim *claim,
                                                    bool seeks)
{
    const struct persistent_volume *volume = kept_for(binding, claim);
    if (!text_is_empty(claim->spec.volume_name))
        volume = map_get(binding->volumes, claim->spec.volume_name);
    else if (volume == NULL)
        return seeks ? free_volume(binding, claim) : NULL;
    if (volume == NULL || !is_free(binding, volume))
        return NULL;
    const char *why = obstacle(claim, volume);
    if (why == NULL)
        return volume;
    text_format(binding->remarks,
                "\nPersistentVolumeClaim %s/%s is not bound to PersistentVolume %s: their %s %s",
                text_or_empty(claim->meta.namespace), claim->meta.name, volume->meta.name, why,
                strcmp(why, "selector") == 0 ? "does not match" : "does not fit");
    return NULL;
}

void claims_binding_bind(struct claims_binding *binding, struct persistent_volume_claim *claim,
                         const struct persistent_volume *volume)
{
    struct arena *arena = binding->snapshot->arena;
    const struct string_map *before = &claim->meta.annotations;
    struct string_map after = {arena_allocate_array(arena, before->count + 1, sizeof *after.items),
                               0};
    uint32_t from = 0;
    while (from < before->count && strcmp(before->items[from].key, BIND_COMPLETED) < 0)
        after.items[after.count++] = before->items[from++];
    after.items[after.count++] = (struct string_pair){BIND_COMPLETED, "yes"};
    while (from < before->count)
        after.items[after.count++] = before->items[from++];
    claim->meta.annotations = after;
    claim->spec.volume_name = arena_copy_string(arena, volume->meta.name);
    claim->status.phase = "Bound";
    map_set(binding->used, claim->spec.volume_name, binding);
}
