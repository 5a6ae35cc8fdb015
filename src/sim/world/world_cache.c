// The world's cache: objects by kind, key and uid, dependents by owner, pods by node.
#include "sim/world/world_cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

static void world_cache_drop(struct world_object *object);
static struct world_object *object_add(struct world_kind *kind, json_t *json, const char *key);
static void object_fill(struct world_object *object, json_t *json);
static void object_empty(struct world_object *object);
static void index_add(struct world *world, struct world_object *object);
static void index_remove(struct world *world, struct world_object *object);
static const json_t *find_condition(const json_t *object, const char *type);

void world_observe(struct world *world, world_change leave, world_change enter, void *part)
{
    assert(world->observers_count < WORLD_OBSERVERS_MAX);
    world->observers[world->observers_count++] = (struct world_observer){leave, enter, part};
}

static void tell_leave(struct world *world, struct world_object *object)
{
    for (uint32_t i = 0; i < world->observers_count; i++)
        world->observers[i].leave(world->observers[i].part, object);
}

static void tell_enter(struct world *world, struct world_object *object)
{
    for (uint32_t i = 0; i < world->observers_count; i++)
        world->observers[i].enter(world->observers[i].part, object);
}

void world_key(const char *namespace, const char *name, char out[WORLD_KEY_MAX])
{
    if (namespace == NULL || namespace[0] == '\0')
        snprintf(out, WORLD_KEY_MAX, "%s", name);
    else
        snprintf(out, WORLD_KEY_MAX, "%s/%s", namespace, name);
}

void world_refresh(struct world *world, struct world_kind *kind, const char *namespace,
                   const char *name)
{
    char key[WORLD_KEY_MAX];
    world_key(namespace, name, key);
    json_t *json = store_get(world->store, kind->resource, namespace, name);
    struct world_object *object = map_get(kind->objects, key);
    if (object == NULL ? json == NULL : object->json == json)
        return;
    if (object != NULL && (json == NULL || !text_equal(store_uid(json), object->uid))) {
        world_cache_drop(object);
        object = NULL;
    }
    if (json == NULL)
        return;
    if (object == NULL) {
        object = object_add(kind, json, key);
    } else {
        tell_leave(world, object);
        index_remove(world, object);
        object_empty(object);
        object_fill(object, json);
    }
    index_add(world, object);
    tell_enter(world, object);
}

// The object has left the store.
static void world_cache_drop(struct world_object *object)
{
    struct world_kind *kind = object->kind;
    object->gone = true;
    tell_leave(kind->world, object);
    index_remove(kind->world, object);
    map_remove(kind->objects, object->key);
    *(object->kind_previous == NULL ? &kind->first : &object->kind_previous->kind_next) =
        object->kind_next;
    *(object->kind_next == NULL ? &kind->last : &object->kind_next->kind_previous) =
        object->kind_previous;
    object_empty(object);
    free(object->key);
    free(object);
}

void world_cache_clear(struct world *world)
{
    vector_for_each (kind, &world->kinds) {
        for (struct world_object *object = (*kind)->first, *next; object != NULL; object = next) {
            next = object->kind_next;
            index_remove(world, object);
            object_empty(object);
            free(object->key);
            free(object);
        }
        map_destroy((*kind)->objects, NULL);
        (*kind)->objects = NULL;
    }
}

static struct world_object *object_add(struct world_kind *kind, json_t *json, const char *key)
{
    struct world_object *object = memory_allocate(sizeof *object);
    object->kind = kind;
    object->key = memory_copy_string(key);
    object->serial = kind->world->next_serial++;
    object_fill(object, json);
    map_set(kind->objects, key, object);
    object->kind_previous = kind->last;
    *(kind->last == NULL ? &kind->first : &kind->last->kind_next) = object;
    kind->last = object;
    return object;
}

static int64_t ready_since(const struct world_object *pod)
{
    return world_instant(find_condition(pod->json, "Ready"), "lastTransitionTime");
}

// The facts of every pod that controllers read at every sync.
static void read_facts(struct world_object *object)
{
    object->deleting = world_text(object->json, "metadata.deletionTimestamp") != NULL;
    if (object->kind->id != KIND_POD)
        return;
    const char *phase = world_text(object->json, "status.phase");
    object->ended = text_equal(phase, "Succeeded") || text_equal(phase, "Failed");
    object->ready = text_equal(world_condition_status(object, "Ready"), "True");
    object->created = world_instant(object->json, "metadata.creationTimestamp");
    object->ready_since = object->ready ? ready_since(object) : 0;
}

static void object_fill(struct world_object *object, json_t *json)
{
    object->json = json_incref(json);
    object->name = store_name(json);
    object->namespace = store_namespace(json);
    object->uid = store_uid(json);
    read_facts(object);
    if (object->kind->typed)
        object->typed = object_decode(json, kind_get(object->kind->id), DECODE_LENIENT, NULL);
}

static void object_empty(struct world_object *object)
{
    object_release(object->typed);
    object->typed = NULL;
    json_decref(object->json);
    object->json = NULL;
}

// --- indices -------------------------------------------------------------------------------------

static void node_pods_add(struct world *world, struct world_object *pod);
static void node_pods_remove(struct world_object *pod);
static void links_add(struct world *world, struct world_object *object);
static void links_remove(struct world *world, struct world_object *object);

static void index_add(struct world *world, struct world_object *object)
{
    if (object->uid != NULL)
        map_set(world->by_uid, object->uid, object);
    links_add(world, object);
    if (object->kind->id == KIND_POD)
        node_pods_add(world, object);
}

static void index_remove(struct world *world, struct world_object *object)
{
    if (object->uid != NULL && map_get(world->by_uid, object->uid) == object)
        map_remove(world->by_uid, object->uid);
    links_remove(world, object);
    node_pods_remove(object);
}

static void node_pods_add(struct world *world, struct world_object *pod)
{
    const char *node_name = world_text(pod->json, "spec.nodeName");
    if (node_name == NULL || node_name[0] == '\0')
        return;
    struct world_node_pods *pods = map_ensure(world->node_pods, node_name, sizeof *pods);
    pod->on_node = pods;
    pod->node_next = NULL;
    pod->node_previous = pods->last;
    *(pods->last == NULL ? &pods->first : &pods->last->node_next) = pod;
    pods->last = pod;
    pods->count++;
}

static void node_pods_remove(struct world_object *pod)
{
    struct world_node_pods *pods = pod->on_node;
    if (pods == NULL)
        return;
    *(pod->node_previous == NULL ? &pods->first : &pod->node_previous->node_next) = pod->node_next;
    *(pod->node_next == NULL ? &pods->last : &pod->node_next->node_previous) = pod->node_previous;
    pods->count--;
    pod->on_node = NULL;
    pod->node_next = pod->node_previous = NULL;
}

static struct world_owner *owner_of_uid(struct world *world, const char *uid)
{
    struct world_owner *owner = map_get(world->owners, uid);
    if (owner == NULL) {
        owner = memory_allocate(sizeof *owner);
        owner->uid = memory_copy_string(uid);
        map_set(world->owners, uid, owner);
    }
    return owner;
}

static void links_add(struct world *world, struct world_object *object)
{
    json_t *references = store_path(object->json, "metadata.ownerReferences");
    object->links_count = 0;
    if (json_array_size(references) == 0)
        return;
    object->links = memory_allocate_array(json_array_size(references), sizeof *object->links);
    size_t index;
    json_t *reference;
    json_array_foreach (references, index, reference) {
        const char *uid = json_string_value(json_object_get(reference, "uid"));
        if (uid == NULL)
            continue;
        struct world_link *link = &object->links[object->links_count++];
        struct world_owner *owner = owner_of_uid(world, uid);
        *link = (struct world_link){
            .dependent = object,
            .owner = owner,
            .previous = owner->last,
            .controller = json_is_true(json_object_get(reference, "controller")),
            .block_owner_deletion = json_is_true(json_object_get(reference, "blockOwnerDeletion")),
        };
        *(owner->last == NULL ? &owner->first : &owner->last->next) = link;
        owner->last = link;
    }
}

static void links_remove(struct world *world, struct world_object *object)
{
    for (uint32_t i = 0; i < object->links_count; i++) {
        struct world_link *link = &object->links[i];
        struct world_owner *owner = link->owner;
        *(link->previous == NULL ? &owner->first : &link->previous->next) = link->next;
        *(link->next == NULL ? &owner->last : &link->next->previous) = link->previous;
        if (owner->first == NULL) {
            map_remove(world->owners, owner->uid);
            free(owner->uid);
            free(owner);
        }
    }
    free(object->links);
    object->links = NULL;
    object->links_count = 0;
}

// --- reading -------------------------------------------------------------------------------------

struct world_object *world_find(const struct world *world, enum kind_id id, const char *namespace,
                                const char *name)
{
    char key[WORLD_KEY_MAX];
    world_key(namespace, name, key);
    return world_find_key(world, id, key);
}

struct world_kind *world_kind_other(const struct world *world, const char *group,
                                    const char *plural)
{
    vector_for_each (kind, &world->kinds)
        if (strcmp((*kind)->resource->group, group) == 0 &&
            strcmp((*kind)->resource->plural, plural) == 0)
            return *kind;
    return NULL;
}

struct world_object *world_find_other(const struct world *world, const char *group,
                                      const char *plural, const char *key)
{
    const struct world_kind *kind = world_kind_other(world, group, plural);
    return kind == NULL ? NULL : map_get(kind->objects, key);
}

struct world_object *world_find_key(const struct world *world, enum kind_id id, const char *key)
{
    const struct world_kind *kind = world->by_id[id];
    return kind == NULL ? NULL : map_get(kind->objects, key);
}

struct world_object *world_first(const struct world *world, enum kind_id id)
{
    return world->by_id[id] == NULL ? NULL : world->by_id[id]->first;
}

static int compare_serials(const void *a, const void *b)
{
    uint64_t first = (*(struct world_object *const *)a)->serial;
    uint64_t second = (*(struct world_object *const *)b)->serial;
    return first < second ? -1 : first > second;
}

world_objects world_controlled(const struct world *world, const char *owner_uid, enum kind_id id)
{
    world_objects objects = {0};
    const struct world_owner *owner = world_dependents(world, owner_uid);
    for (const struct world_link *link = owner == NULL ? NULL : owner->first; link != NULL;
         link = link->next)
        if (link->controller && link->dependent->kind->id == id)
            vector_push(&objects, link->dependent);
    if (objects.count > 1)
        qsort(objects.items, objects.count, sizeof *objects.items, compare_serials);
    return objects;
}

const char *world_controller_uid(const struct world_object *object)
{
    for (uint32_t i = 0; i < object->links_count; i++)
        if (object->links[i].controller)
            return object->links[i].owner->uid;
    return NULL;
}

struct world_object *world_controller(const struct world *world, const struct world_object *object,
                                      enum kind_id id)
{
    const char *uid = world_controller_uid(object);
    struct world_object *owner = uid == NULL ? NULL : map_get(world->by_uid, uid);
    return owner != NULL && owner->kind->id == id ? owner : NULL;
}

const struct world_owner *world_dependents(const struct world *world, const char *uid)
{
    return uid == NULL ? NULL : map_get(world->owners, uid);
}

const struct world_node_pods *world_pods_on(const struct world *world, const char *node_name)
{
    static const struct world_node_pods none;
    const struct world_node_pods *pods = map_get(world->node_pods, node_name);
    return pods == NULL ? &none : pods;
}

world_objects world_gather_pods(const struct world *world, const char *node_name)
{
    world_objects gathered = {0};
    const struct world_node_pods *pods = world_pods_on(world, node_name);
    for (struct world_object *pod = pods->first; pod != NULL; pod = pod->node_next)
        vector_push(&gathered, pod);
    return gathered;
}

bool world_is_deleting(const struct world_object *object)
{
    return object->deleting;
}

const char *world_annotation(const struct world_object *object, const char *key)
{
    return json_string_value(
        json_object_get(store_path(object->json, "metadata.annotations"), key));
}

const char *world_label(const struct world_object *object, const char *key)
{
    return json_string_value(json_object_get(store_path(object->json, "metadata.labels"), key));
}

const char *world_text(const json_t *object, const char *path)
{
    return json_string_value(store_path(object, path));
}

int64_t world_int(const json_t *object, const char *path, int64_t otherwise)
{
    const json_t *value = store_path(object, path);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

int64_t world_instant(const json_t *object, const char *path)
{
    const char *text = world_text(object, path);
    int64_t instant = 0;
    return text != NULL && instant_parse(text, &instant, NULL) ? instant : 0;
}

int64_t world_annotation_seconds(const struct world_object *object, const char *key,
                                 int64_t otherwise)
{
    const char *text = world_annotation(object, key);
    if (text == NULL)
        return otherwise;
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !(seconds >= 0) || seconds > 1e9)
        return otherwise;
    return ns_from_seconds(seconds);
}

int64_t world_generation(const struct world_object *object)
{
    return world_int(object->json, "metadata.generation", 1);
}

// --- readings of pods ----------------------------------------------------------------------------

bool world_pod_ended(const struct world_object *pod)
{
    return pod->ended;
}

bool world_pod_active(const struct world_object *pod)
{
    return !world_pod_ended(pod) && !world_is_deleting(pod);
}

static const json_t *find_condition(const json_t *object, const char *type)
{
    size_t index;
    json_t *condition;
    json_array_foreach (store_path(object, "status.conditions"), index, condition) {
        if (text_equal(world_text(condition, "type"), type))
            return condition;
    }
    return NULL;
}

const char *world_condition_status(const struct world_object *object, const char *type)
{
    const json_t *condition = find_condition(object->json, type);
    return condition == NULL ? NULL : world_text(condition, "status");
}

bool world_pod_ready(const struct world_object *pod)
{
    return pod->ready;
}

int64_t world_pod_ready_since(const struct world_object *pod)
{
    return pod->ready_since;
}

bool world_pod_available(const struct world *world, const struct world_object *pod,
                         int64_t min_ready_ns, int64_t *wait_ns)
{
    if (!world_pod_ready(pod))
        return false;
    if (min_ready_ns == 0)
        return true;
    int64_t remaining =
        ns_subtract(ns_add(world_pod_ready_since(pod), min_ready_ns), loop_now_ns(world->loop));
    if (remaining <= 0)
        return true;
    if (remaining < *wait_ns)
        *wait_ns = remaining;
    return false;
}
