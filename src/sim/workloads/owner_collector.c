#include "sim/workloads/owner_collector.h"

#include <stdlib.h>
#include <string.h>

#include "sim/world/world_write.h"

struct collector {
    struct world *world;
    struct work_queue *queue; // by uid
};

static void sync_object(void *context, const char *uid);

struct collector *collector_create(struct world *world)
{
    struct collector *collector = memory_allocate(sizeof *collector);
    collector->world = world;
    collector->queue =
        work_queue_create(world->loop, world->options.controller_delay_ns, sync_object, collector);
    return collector;
}

void collector_destroy(struct collector *collector)
{
    work_queue_destroy(collector->queue);
    free(collector);
}

static bool has_finalizer(const struct world_object *object, const char *name)
{
    json_t *finalizer;
    size_t index;
    json_array_foreach (store_path(object->json, "metadata.finalizers"), index, finalizer) {
        if (text_equal(json_string_value(finalizer), name))
            return true;
    }
    return false;
}

void collector_leave(void *part, struct world_object *object)
{
    struct collector *collector = part;
    if (!object->gone || object->uid == NULL)
        return;
    work_queue_forget(collector->queue, object->uid);
    const struct world_owner *owner = world_dependents(collector->world, object->uid);
    for (const struct world_link *link = owner == NULL ? NULL : owner->first; link != NULL;
         link = link->next)
        if (link->dependent->uid != NULL)
            work_queue_add(collector->queue, link->dependent->uid);
    for (uint32_t i = 0; i < object->links_count; i++) // an owner may wait for it
        work_queue_add(collector->queue, object->links[i].owner->uid);
}

// One of its owners is gone, being deleted, or not known yet.
static bool lacks_owner(const struct collector *collector, const struct world_object *object)
{
    for (uint32_t i = 0; i < object->links_count; i++) {
        const struct world_object *owner =
            map_get(collector->world->by_uid, object->links[i].owner->uid);
        if (owner == NULL || world_is_deleting(owner))
            return true;
    }
    return false;
}

void collector_enter(void *part, struct world_object *object)
{
    struct collector *collector = part;
    if (object->uid == NULL)
        return;
    bool waits = world_is_deleting(object) &&
                 (has_finalizer(object, "foregroundDeletion") || has_finalizer(object, "orphan"));
    if (waits || lacks_owner(collector, object))
        work_queue_add(collector->queue, object->uid);
}

// --- one object ----------------------------------------------------------------------------------

static void orphan_dependents(struct collector *collector, struct world_object *owner);
static void delete_blocking(struct collector *collector, struct world_object *owner);
static void collect(struct collector *collector, struct world_object *object);

static void sync_object(void *context, const char *uid)
{
    struct collector *collector = context;
    struct world_object *object = map_get(collector->world->by_uid, uid);
    if (object == NULL)
        return;
    if (world_is_deleting(object) && has_finalizer(object, "orphan"))
        orphan_dependents(collector, object);
    else if (world_is_deleting(object) && has_finalizer(object, "foregroundDeletion"))
        delete_blocking(collector, object);
    else if (!world_is_deleting(object) && object->links_count > 0)
        collect(collector, object);
}

// By uid, since one deletion may remove others.
typedef VECTOR(char *) uid_list;
static uid_list dependents_of(const struct world *world, const char *uid)
{
    uid_list uids = {0};
    const struct world_owner *owner = world_dependents(world, uid);
    for (const struct world_link *link = owner == NULL ? NULL : owner->first; link != NULL;
         link = link->next)
        if (link->dependent->uid != NULL)
            vector_push(&uids, memory_copy_string(link->dependent->uid));
    return uids;
}

static void uid_list_free(uid_list *uids)
{
    vector_for_each (uid, uids)
        free(*uid);
    vector_free(uids);
}

static void drop_finalizer(struct collector *collector, struct world_object *object,
                           const char *finalizer)
{
    json_t *value = world_copy(object);
    world_drop_finalizer(value, finalizer);
    world_replace(collector->world, object, value);
}

// Removes the references to any of the owners.
static void drop_references(struct collector *collector, struct world_object *object,
                            const uid_list *owners)
{
    json_t *value = world_copy(object);
    json_t *references = store_path(value, "metadata.ownerReferences");
    for (size_t i = json_array_size(references); i-- > 0;) {
        const char *uid = world_text(json_array_get(references, i), "uid");
        vector_for_each (owner, owners) {
            if (text_equal(uid, *owner)) {
                json_array_remove(references, i);
                break;
            }
        }
    }
    if (json_array_size(references) == 0)
        json_object_del(json_object_get(value, "metadata"), "ownerReferences");
    world_replace(collector->world, object, value);
}

static void orphan_dependents(struct collector *collector, struct world_object *owner)
{
    char *owner_uid = memory_copy_string(owner->uid);
    uid_list owners = {&owner_uid, 1, 1};
    uid_list dependents = dependents_of(collector->world, owner_uid);
    vector_for_each (uid, &dependents) {
        struct world_object *dependent = map_get(collector->world->by_uid, *uid);
        if (dependent != NULL)
            drop_references(collector, dependent, &owners);
    }
    uid_list_free(&dependents);
    owner = map_get(collector->world->by_uid, owner_uid);
    if (owner != NULL)
        drop_finalizer(collector, owner, "orphan");
    free(owner_uid);
}

// Deletes the dependents in the foreground too; blocking ones hold the owner until they are gone.
static void delete_blocking(struct collector *collector, struct world_object *owner)
{
    char *owner_uid = memory_copy_string(owner->uid);
    uid_list dependents = dependents_of(collector->world, owner_uid);
    vector_for_each (uid, &dependents) {
        struct world_object *dependent = map_get(collector->world->by_uid, *uid);
        if (dependent == NULL || world_is_deleting(dependent))
            continue;
        bool has_own = world_dependents(collector->world, *uid) != NULL;
        world_remove(collector->world, dependent, -1, has_own ? "Foreground" : "Background");
    }
    uid_list_free(&dependents);
    bool blocked = false;
    const struct world_owner *left = world_dependents(collector->world, owner_uid);
    for (const struct world_link *link = left == NULL ? NULL : left->first; link != NULL;
         link = link->next)
        blocked |= link->block_owner_deletion;
    owner = map_get(collector->world->by_uid, owner_uid);
    if (owner != NULL && !blocked)
        drop_finalizer(collector, owner, "foregroundDeletion");
    free(owner_uid);
}

// An owner exists if the store has an object of its kind, name and uid, cached or not.
static bool owner_exists(struct collector *collector, const struct world_object *object,
                         const json_t *reference)
{
    const char *uid = world_text(reference, "uid");
    if (uid != NULL && map_get(collector->world->by_uid, uid) != NULL)
        return true;
    const char *api_version = world_text(reference, "apiVersion");
    const char *kind = world_text(reference, "kind"), *name = world_text(reference, "name");
    if (api_version == NULL || kind == NULL || name == NULL)
        return false;
    const struct store_resource *resource =
        store_resource_of_kind(collector->world->store, api_version, kind);
    if (resource == NULL)
        return true; // the owner's existence is unknown if its kind is not served
    const json_t *owner = store_get(collector->world->store, resource,
                                    resource->namespaced ? object->namespace : NULL, name);
    return owner != NULL && text_equal(store_uid(owner), uid);
}

static void collect(struct collector *collector, struct world_object *object)
{
    json_t *references = store_path(object->json, "metadata.ownerReferences"), *reference;
    size_t index, solid = 0, waiting = 0;
    uid_list absent = {0};
    json_array_foreach (references, index, reference) {
        const char *uid = world_text(reference, "uid");
        const struct world_object *owner =
            uid == NULL ? NULL : map_get(collector->world->by_uid, uid);
        bool waits =
            owner != NULL && world_is_deleting(owner) && has_finalizer(owner, "foregroundDeletion");
        if (!owner_exists(collector, object, reference)) {
            if (uid != NULL)
                vector_push(&absent, memory_copy_string(uid));
        } else if (waits) {
            waiting++;
        } else {
            solid++;
        }
    }
    if (solid > 0 && absent.count > 0)
        drop_references(collector, object, &absent);
    else if (solid == 0 && waiting > 0)
        world_remove(collector->world, object, -1,
                     world_dependents(collector->world, object->uid) != NULL ? "Foreground"
                                                                             : "Background");
    else if (solid == 0 && absent.count > 0)
        world_remove(collector->world, object, -1, "Background");
    uid_list_free(&absent);
}
