#include "sim/world/world_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nanoseconds.h"
#include "model/tables/kinds.h"
#include "sim/store/store_remove.h"
#include "sim/world/world_cache.h"

static bool add(struct world *world, struct world_kind *kind, const char *namespace, json_t *value,
                char name[WORLD_NAME_MAX], struct error *error)
{
    struct error ignored;
    const json_t *stored = NULL;
    if (kind != NULL)
        stored = store_add(world->store, kind->resource, namespace, value,
                           error == NULL ? &ignored : error);
    else
        error_set(error, ERROR_NOT_FOUND, "the store does not serve this kind");
    json_decref(value);
    if (stored == NULL)
        return false;
    snprintf(name, WORLD_NAME_MAX, "%s", store_name(stored));
    world_refresh(world, kind, store_namespace(stored), store_name(stored));
    return true;
}

bool world_add_named(struct world *world, enum kind_id id, const char *namespace, json_t *value,
                     char name[WORLD_NAME_MAX], struct error *error)
{
    return add(world, world->by_id[id], namespace, value, name, error);
}

bool world_add(struct world *world, enum kind_id id, const char *namespace, json_t *value,
               struct error *error)
{
    char name[WORLD_NAME_MAX];
    return add(world, world->by_id[id], namespace, value, name, error);
}

bool world_add_other(struct world *world, struct world_kind *kind, const char *namespace,
                     json_t *value)
{
    char name[WORLD_NAME_MAX];
    return add(world, kind, namespace, value, name, NULL);
}

bool world_replace_as(struct world *world, struct world_object *object, const char *subresource,
                      json_t *value, struct error *error)
{
    struct error ignored;
    char namespace[300], name[300];
    snprintf(namespace, sizeof namespace, "%s", object->namespace);
    snprintf(name, sizeof name, "%s", object->name);
    struct world_kind *kind = object->kind;
    const json_t *stored = store_replace(
        world->store, &(struct store_target){kind->resource, namespace, name, subresource}, value,
        error == NULL ? &ignored : error);
    json_decref(value);
    world_refresh(world, kind, namespace, name);
    return stored != NULL;
}

bool world_replace(struct world *world, struct world_object *object, json_t *value)
{
    return world_replace_as(world, object, NULL, value, NULL);
}

bool world_set_status(struct world *world, struct world_object *object, json_t *status)
{
    if (json_equal(status, json_object_get(object->json, "status"))) {
        json_decref(status);
        return true;
    }
    json_t *value = world_copy(object);
    json_object_set_new(value, "status", status);
    const char *subresource = object->kind->resource->status_subresource ? "status" : NULL;
    return world_replace_as(world, object, subresource, value, NULL);
}

bool world_remove(struct world *world, struct world_object *object, int64_t grace_s,
                  const char *propagation)
{
    struct error error;
    char namespace[300], name[300], uid[64];
    snprintf(namespace, sizeof namespace, "%s", object->namespace);
    snprintf(name, sizeof name, "%s", object->name);
    snprintf(uid, sizeof uid, "%s", object->uid);
    struct world_kind *kind = object->kind;
    struct store_delete_options options = {
        .uid = uid, .grace_period_seconds = grace_s, .propagation = propagation};
    const json_t *state =
        store_remove(world->store, kind->resource, namespace, name, &options, &error);
    world_refresh(world, kind, namespace, name);
    return state != NULL;
}

json_t *world_copy(const struct world_object *object)
{
    json_t *copy = json_copy(object->json);
    static const char *const parts[] = {"metadata", "spec"};
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++) {
        json_t *part = json_object_get(copy, parts[i]);
        if (part != NULL)
            json_object_set_new(copy, parts[i], json_deep_copy(part));
    }
    return copy;
}

json_t *world_copy_status(const struct world_object *object)
{
    json_t *status = json_object_get(object->json, "status");
    return json_is_object(status) ? json_deep_copy(status) : json_object();
}

void world_now(const struct world *world, char out[INSTANT_TEXT_MAX])
{
    instant_format(loop_now_ns(world->loop), out);
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text == NULL || text[0] == '\0')
        json_object_del(object, key);
    else
        json_object_set_new(object, key, json_string(text));
}

bool world_condition(const struct world *world, json_t *status, const char *type,
                     const char *condition_status, const char *reason, const char *message)
{
    json_t *conditions = json_object_get(status, "conditions");
    if (conditions == NULL) {
        conditions = json_array();
        json_object_set_new(status, "conditions", conditions);
    }
    json_t *found = NULL, *condition;
    size_t index;
    json_array_foreach (conditions, index, condition) {
        if (text_equal(world_text(condition, "type"), type))
            found = condition;
    }
    bool same_status = found != NULL && text_equal(world_text(found, "status"), condition_status);
    if (same_status && text_equal(world_text(found, "reason"), reason) &&
        text_equal(world_text(found, "message"), message))
        return false;
    if (found == NULL) {
        found = json_pack("{s:s}", "type", type);
        json_array_append_new(conditions, found);
    }
    set_text(found, "status", condition_status);
    set_text(found, "reason", reason);
    set_text(found, "message", message);
    if (!same_status) {
        char now[INSTANT_TEXT_MAX];
        world_now(world, now);
        set_text(found, "lastTransitionTime", now);
    }
    return true;
}

static json_t *metadata_list(json_t *value, const char *key)
{
    json_t *metadata = json_object_get(value, "metadata");
    if (metadata == NULL) {
        metadata = json_object();
        json_object_set_new(value, "metadata", metadata);
    }
    json_t *list = json_object_get(metadata, key);
    if (list == NULL) {
        list = json_array();
        json_object_set_new(metadata, key, list);
    }
    return list;
}

void world_add_owner(json_t *value, const struct world_object *owner)
{
    json_array_append_new(metadata_list(value, "ownerReferences"),
                          json_pack("{s:s, s:s, s:s, s:s, s:b, s:b}", "apiVersion",
                                    world_text(owner->json, "apiVersion"), "kind",
                                    world_text(owner->json, "kind"), "name", owner->name, "uid",
                                    owner->uid, "controller", 1, "blockOwnerDeletion", 1));
}

bool world_add_finalizer(json_t *value, const char *finalizer)
{
    json_t *list = metadata_list(value, "finalizers"), *item;
    size_t index;
    json_array_foreach (list, index, item) {
        if (text_equal(json_string_value(item), finalizer))
            return false;
    }
    json_array_append_new(list, json_string(finalizer));
    return true;
}

bool world_drop_finalizer(json_t *value, const char *finalizer)
{
    json_t *list = metadata_list(value, "finalizers"), *item;
    size_t index;
    json_array_foreach (list, index, item) {
        if (text_equal(json_string_value(item), finalizer)) {
            json_array_remove(list, index);
            return true;
        }
    }
    return false;
}

// --- events --------------------------------------------------------------------------------------

static void event_purge(struct world *world);
static void event_repeat(struct world *world, struct world_object *event);
static json_t *event_value(struct world *world, const struct world_object *object,
                           const char *namespace, const char *name);

// Events of one second are shown in the order of their names: a start reads as it happens.
static unsigned event_order(const char *reason)
{
    static const char *const steps[] = {"Scheduled", "Pulled", "Created", "Started", "Killing"};
    unsigned order = 0;
    while (order < ARRAY_LENGTH(steps) && strcmp(steps[order], reason) != 0)
        order++;
    return order;
}

void world_event(struct world *world, const struct world_object *object, const char *type,
                 const char *reason, const char *component, const char *message)
{
    if (!world->options.events || world->by_id[KIND_EVENT] == NULL)
        return;
    event_purge(world);
    uint64_t hash =
        hash_mix(hash_mix(hash_string(object->uid), hash_string(reason)), hash_string(message));
    char name[400];
    snprintf(name, sizeof name, "%.200s.%u%015llx", object->name, event_order(reason),
             (unsigned long long)(hash >> 4));
    const char *namespace = object->namespace[0] != '\0' ? object->namespace : "default";
    struct world_object *known = world_find(world, KIND_EVENT, namespace, name);
    if (known != NULL) {
        event_repeat(world, known);
        return;
    }
    json_t *value = event_value(world, object, namespace, name);
    json_object_set_new(value, "type", json_string(type));
    json_object_set_new(value, "reason", json_string(reason));
    json_object_set_new(value, "message", json_stringn(message, strnlen(message, 1024)));
    json_object_set_new(value, "source", json_pack("{s:s}", "component", component));
    json_object_set_new(value, "reportingComponent", json_string(component));
    if (world_add(world, KIND_EVENT, namespace, value, NULL))
        vector_push(&world->events.records,
                    (struct world_event_record){
                        ns_add(loop_now_ns(world->loop), world->options.event_ttl_ns),
                        memory_copy_string(namespace), memory_copy_string(name)});
}

static json_t *event_value(struct world *world, const struct world_object *object,
                           const char *namespace, const char *name)
{
    char now[INSTANT_TEXT_MAX];
    world_now(world, now);
    json_t *involved = json_pack(
        "{s:s, s:s, s:s, s:s}", "apiVersion", world_text(object->json, "apiVersion"), "kind",
        world_text(object->json, "kind"), "name", object->name, "uid", object->uid);
    if (object->namespace[0] != '\0')
        json_object_set_new(involved, "namespace", json_string(object->namespace));
    return json_pack("{s:s, s:s, s:{s:s, s:s}, s:o, s:s, s:s, s:i}", "apiVersion", "v1", "kind",
                     "Event", "metadata", "namespace", namespace, "name", name, "involvedObject",
                     involved, "firstTimestamp", now, "lastTimestamp", now, "count", 1);
}

static void event_repeat(struct world *world, struct world_object *event)
{
    char now[INSTANT_TEXT_MAX];
    world_now(world, now);
    json_t *value = world_copy(event);
    json_object_set_new(value, "count", json_integer(world_int(event->json, "count", 1) + 1));
    json_object_set_new(value, "lastTimestamp", json_string(now));
    world_replace(world, event, value);
}

// Like the API server's storage: events expire some time after their first write.
static void event_purge(struct world *world)
{
    int64_t now_ns = loop_now_ns(world->loop);
    while (world->events.first < world->events.records.count) {
        struct world_event_record *record = &world->events.records.items[world->events.first];
        if (record->until > now_ns)
            break;
        struct world_object *event = world_find(world, KIND_EVENT, record->namespace, record->name);
        if (event != NULL)
            world_remove(world, event, 0, NULL);
        free(record->namespace);
        free(record->name);
        world->events.first++;
    }
    if (world->events.first < 1024 || world->events.first * 2 < world->events.records.count)
        return;
    world->events.records.count -= world->events.first;
    memmove(world->events.records.items, world->events.records.items + world->events.first,
            world->events.records.count * sizeof *world->events.records.items);
    world->events.first = 0;
}

int64_t world_jitter(const struct world *world, const char *text, int64_t delay_ns)
{
    uint64_t hash = hash_mix(world->options.seed, hash_string(text));
    double share = (double)(hash >> 11) / (double)(UINT64_C(1) << 53);
    return ns_add(delay_ns, (int64_t)((double)delay_ns * world->options.jitter * share));
}
