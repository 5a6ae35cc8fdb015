#include "kube/mirror.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "kube/invalid_object.h"
#include "kube/object_table.h"
#include "kube/reflector.h"
#include "kube/resource_version.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

// The epoch of an entry: the number of the last list that contained it. This bit marks an entry put
// in by mirror_observe(), which may be ahead of list and watch.
#define EPOCH_OBSERVED (UINT32_C(1) << 31)

struct change_handler {
    mirror_handler handler;
    void *context;
};
struct invalid_handler {
    mirror_invalid_handler handler;
    void *context;
};

struct mirror_kind {
    struct mirror *mirror;
    enum kind_id id;
    const struct kind *view;     // NULL: whole objects
    struct reflector *reflector; // NULL: not mirrored (yet)
    char *namespace;
    bool has_field_selector, is_synced, is_absent;
    uint32_t epoch; // of the list under way, or the last one
    struct object_table table;
    struct map *invalid; // "namespace/name" to struct invalid_object
    VECTOR(struct change_handler) handlers;
    VECTOR(struct invalid_handler) invalid_handlers;
};

struct mirror {
    struct loop *loop;
    struct kube_client *client;
    struct mirror_kind kinds[KIND_COUNT];
};

static void list_begins(void *context);
static void list_item(void *context, const json_t *document);
static void list_ends(void *context, const char *resource_version);
static void list_absent(void *context, enum error_kind why);
static void watch_event(void *context, const char *type, const json_t *document);
static void take(struct mirror_kind *kind, const json_t *document);
static bool take_known(struct mirror_kind *kind, const json_t *document);
static void put(struct mirror_kind *kind, struct object *object);
static void replace(struct mirror_kind *kind, struct object_entry *entry, struct object *object,
                    uint32_t epoch);
static void add(struct mirror_kind *kind, struct object *object, uint32_t epoch);
static void drop(struct mirror_kind *kind, struct object_entry *entry);
static void drop_deleted(struct mirror_kind *kind, const json_t *document);
static void take_invalid(struct mirror_kind *kind, const json_t *document,
                         const struct error *error);
static void sweep(struct mirror_kind *kind, const char *resource_version);
static void notify(struct mirror_kind *kind, enum mirror_change change,
                   const struct object *old_object, const struct object *new_object);
static const char *metadata_text(const json_t *document, const char *name);

struct mirror *mirror_create(struct loop *loop, struct kube_client *client)
{
    assert(loop != NULL);
    assert(client != NULL);
    struct mirror *mirror = memory_allocate(sizeof *mirror);
    mirror->loop = loop;
    mirror->client = client;
    for (int i = 0; i < KIND_COUNT; i++) {
        mirror->kinds[i].mirror = mirror;
        mirror->kinds[i].id = (enum kind_id)i;
        mirror->kinds[i].invalid = map_create();
    }
    return mirror;
}

void mirror_destroy(struct mirror *mirror)
{
    if (mirror == NULL)
        return;
    for (int i = 0; i < KIND_COUNT; i++) {
        struct mirror_kind *kind = &mirror->kinds[i];
        reflector_destroy(kind->reflector);
        object_table_free(&kind->table);
        map_destroy(kind->invalid, invalid_object_destroy);
        vector_free(&kind->handlers);
        vector_free(&kind->invalid_handlers);
        free(kind->namespace);
    }
    free(mirror);
}

void mirror_watch(struct mirror *mirror, enum kind_id id, const char *namespace,
                  const char *field_selector, bool optional)
{
    assert(id < KIND_COUNT);
    struct mirror_kind *kind = &mirror->kinds[id];
    assert(kind->reflector == NULL);
    kind->namespace = memory_copy_string(namespace);
    kind->has_field_selector = field_selector != NULL;
    struct reflector_spec spec = {.kind = id,
                                  .namespace = namespace,
                                  .field_selector = field_selector,
                                  .optional = optional,
                                  .list_begins = list_begins,
                                  .item = list_item,
                                  .list_ends = list_ends,
                                  .event = watch_event,
                                  .absent = list_absent,
                                  .context = kind};
    kind->reflector = reflector_create(mirror->loop, mirror->client, &spec);
}

void mirror_watch_view(struct mirror *mirror, const struct kind *view)
{
    assert(view->id < KIND_COUNT);
    assert(mirror->kinds[view->id].view == NULL);
    mirror->kinds[view->id].view = view;
    mirror_watch(mirror, view->id, NULL, NULL, true);
}

bool mirror_is_absent(const struct mirror *mirror, enum kind_id kind)
{
    return mirror->kinds[kind].is_absent;
}

void mirror_on_change(struct mirror *mirror, enum kind_id kind, mirror_handler handler,
                      void *context)
{
    assert(kind < KIND_COUNT);
    assert(handler != NULL);
    vector_push(&mirror->kinds[kind].handlers, (struct change_handler){handler, context});
}

void mirror_on_invalid(struct mirror *mirror, enum kind_id kind, mirror_invalid_handler handler,
                       void *context)
{
    assert(kind < KIND_COUNT);
    assert(handler != NULL);
    vector_push(&mirror->kinds[kind].invalid_handlers, (struct invalid_handler){handler, context});
}

bool mirror_is_invalid(const struct mirror *mirror, enum kind_id kind, const char *namespace,
                       const char *name)
{
    assert(kind < KIND_COUNT);
    assert(name != NULL);
    CLEANUP_FREE char *key = invalid_object_key(namespace, name);
    return map_get(mirror->kinds[kind].invalid, key) != NULL;
}

uint32_t mirror_invalid_count(const struct mirror *mirror, enum kind_id kind)
{
    return (uint32_t)map_count(mirror->kinds[kind].invalid);
}

bool mirror_synced(const struct mirror *mirror)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (mirror->kinds[i].reflector != NULL && mirror->kinds[i].view == NULL &&
            !mirror->kinds[i].is_synced)
            return false;
    return true;
}

bool mirror_kind_synced(const struct mirror *mirror, enum kind_id kind)
{
    return mirror->kinds[kind].is_synced;
}

const struct object *mirror_get(const struct mirror *mirror, enum kind_id kind,
                                const char *namespace, const char *name)
{
    assert(kind < KIND_COUNT);
    assert(name != NULL);
    const struct object_entry *entry =
        object_table_find(&mirror->kinds[kind].table, namespace, name);
    return entry != NULL ? entry->object : NULL;
}

uint32_t mirror_count(const struct mirror *mirror, enum kind_id kind)
{
    assert(kind < KIND_COUNT);
    return mirror->kinds[kind].table.count;
}

const struct object *mirror_next(const struct mirror *mirror, enum kind_id kind,
                                 struct mirror_iterator *iterator)
{
    assert(kind < KIND_COUNT);
    assert(iterator != NULL);
    // The position is a number, not an address: entries may move between two calls.
    const struct object_table *table = &mirror->kinds[kind].table;
    uintptr_t position = (uintptr_t)iterator->position;
    if (position >= table->count)
        return NULL;
    iterator->position = (const void *)(position + 1);
    return table->entries[position].object;
}

const struct object *mirror_next_salvaged(const struct mirror *mirror, enum kind_id kind,
                                          struct mirror_iterator *iterator)
{
    const struct map *invalid = mirror->kinds[kind].invalid;
    const struct object *salvaged = NULL;
    uintptr_t position = (uintptr_t)iterator->position, seen = 0;
    // Invalid objects are few. The index counts from the start, since entries may move between two
    // calls.
    for (struct map_entry *at = map_first(invalid); at != NULL && salvaged == NULL;
         at = map_next(at))
        if (seen++ >= position)
            salvaged = ((const struct invalid_object *)map_value(at))->salvaged;
    iterator->position = (const void *)seen;
    return salvaged;
}

void mirror_observe(struct mirror *mirror, const struct object *object)
{
    assert(object->kind->id < KIND_COUNT);
    assert(object->references > 0);
    struct mirror_kind *kind = &mirror->kinds[object->kind->id];
    const struct object_meta *meta = &object->meta;
    if (kind->reflector == NULL || kind->view != NULL || meta->name == NULL)
        return;
    if (kind->namespace != NULL && !text_equal(kind->namespace, meta->namespace))
        return;
    struct object_entry *entry = object_table_find(&kind->table, meta->namespace, meta->name);
    if (entry != NULL) {
        if (resource_version_is_newer(meta->resource_version, entry->object->meta.resource_version))
            replace(kind, entry, object_acquire(object), kind->epoch | EPOCH_OBSERVED);
        return;
    }
    // Not mirrored: created just now, or deleted since; the watch's own version decides. Only the
    // server knows whether it matches a selector.
    const char *seen = reflector_version(kind->reflector);
    if (!kind->has_field_selector &&
        (seen[0] == '\0' || resource_version_is_newer(meta->resource_version, seen)))
        add(kind, object_acquire(object), kind->epoch | EPOCH_OBSERVED);
}

// --- from the reflector --------------------------------------------------------------------------
static void list_begins(void *context)
{
    struct mirror_kind *kind = context;
    assert((kind->epoch & EPOCH_OBSERVED) == 0);
    kind->epoch = (kind->epoch + 1) & ~EPOCH_OBSERVED;
}

static void list_item(void *context, const json_t *document)
{
    take(context, document);
}

static void list_ends(void *context, const char *resource_version)
{
    struct mirror_kind *kind = context;
    assert(kind->reflector != NULL);
    sweep(kind, resource_version);
    kind->is_synced = true;
    kind->is_absent = false;
}

// Not served: the mirror drops the kind's objects. Forbidden: it keeps them.
static void list_absent(void *context, enum error_kind why)
{
    struct mirror_kind *kind = context;
    if (why == ERROR_NOT_FOUND) {
        list_begins(kind);
        sweep(kind, "");
    }
    kind->is_synced = kind->is_absent = true;
}

static void watch_event(void *context, const char *type, const json_t *document)
{
    struct mirror_kind *kind = context;
    if (strcmp(type, "DELETED") == 0)
        drop_deleted(kind, document);
    else
        take(kind, document);
}

static void take(struct mirror_kind *kind, const json_t *document)
{
    if (take_known(kind, document))
        return;
    struct error error = {0};
    const struct kind *facts = kind->view != NULL ? kind->view : kind_get(kind->id);
    struct object *object = object_decode(document, facts, DECODE_LENIENT, &error);
    if (object != NULL && object->meta.name == NULL) {
        error_set(&error, ERROR_INVALID, "metadata.name is missing");
        object_release(object);
        object = NULL;
    }
    if (object == NULL) {
        take_invalid(kind, document, &error);
        return;
    }
    if (map_count(kind->invalid) > 0) {
        CLEANUP_FREE char *key = invalid_object_key(object->meta.namespace, object->meta.name);
        invalid_object_destroy(map_remove(kind->invalid, key));
    }
    put(kind, object);
}

// Skips known objects without decoding: the watch repeats the answers of writes, a list repeats
// objects mirrored before.
static bool take_known(struct mirror_kind *kind, const json_t *document)
{
    const char *name = metadata_text(document, "name");
    if (name == NULL || map_count(kind->invalid) > 0)
        return false;
    struct object_entry *entry =
        object_table_find(&kind->table, metadata_text(document, "namespace"), name);
    if (entry == NULL)
        return false;
    const struct object_meta *known = &entry->object->meta;
    const char *version = metadata_text(document, "resourceVersion");
    if (version == NULL || !text_equal(known->resource_version, version) ||
        !text_equal(known->uid, metadata_text(document, "uid")))
        return false;
    entry->epoch = kind->epoch;
    return true;
}

static void put(struct mirror_kind *kind, struct object *object)
{
    assert(object->meta.name != NULL);
    const struct object_meta *meta = &object->meta;
    struct object_entry *entry = object_table_find(&kind->table, meta->namespace, meta->name);
    if (entry == NULL) {
        add(kind, object, kind->epoch);
        return;
    }
    const struct object_meta *known = &entry->object->meta;
    bool is_observed = (entry->epoch & EPOCH_OBSERVED) != 0;
    if (text_equal(known->resource_version, meta->resource_version)) {
        entry->epoch = kind->epoch;
        object_release(object);
    } else if (is_observed &&
               resource_version_is_newer(known->resource_version, meta->resource_version)) {
        entry->epoch = kind->epoch | EPOCH_OBSERVED; // the watch will catch up
        object_release(object);
    } else {
        replace(kind, entry, object, kind->epoch);
    }
}

static void replace(struct mirror_kind *kind, struct object_entry *entry, struct object *object,
                    uint32_t epoch)
{
    assert(entry->object != object);
    assert(strcmp(entry->object->meta.name, object->meta.name) == 0);
    if (!text_equal(entry->object->meta.uid, object->meta.uid)) {
        drop(kind, entry);
        add(kind, object, epoch);
        return;
    }
    struct object *before = entry->object;
    entry->object = object;
    entry->epoch = epoch;
    notify(kind, MIRROR_MODIFIED, before, object);
    object_release(before);
}

static void add(struct mirror_kind *kind, struct object *object, uint32_t epoch)
{
    object_table_add(&kind->table, object)->epoch = epoch;
    notify(kind, MIRROR_ADDED, NULL, object);
}

static void drop(struct mirror_kind *kind, struct object_entry *entry)
{
    struct object *object = object_table_remove(&kind->table, entry);
    assert(object != NULL);
    notify(kind, MIRROR_DELETED, object, NULL);
    object_release(object);
}

static void drop_deleted(struct mirror_kind *kind, const json_t *document)
{
    const char *name = metadata_text(document, "name");
    const char *namespace = metadata_text(document, "namespace");
    if (name == NULL)
        return;
    CLEANUP_FREE char *key = invalid_object_key(namespace, name);
    invalid_object_destroy(map_remove(kind->invalid, key));
    struct object_entry *entry = object_table_find(&kind->table, namespace, name);
    if (entry == NULL)
        return;
    // The mirrored object may be the successor of the one in this event.
    const char *uid = metadata_text(document, "uid");
    if ((entry->epoch & EPOCH_OBSERVED) != 0 && uid != NULL &&
        !text_equal(uid, entry->object->meta.uid) &&
        resource_version_is_newer(entry->object->meta.resource_version,
                                  metadata_text(document, "resourceVersion")))
        return;
    drop(kind, entry);
}

// A missing pod would free its node, and a missing budget its pods. Partly read objects of other
// kinds are not acted on.
static void keep_salvaged(struct mirror_kind *kind, const char *namespace, const char *name,
                          const struct object *salvaged)
{
    struct object_entry *entry = object_table_find(&kind->table, namespace, name);
    bool stands_in = kind->id == KIND_POD || kind->id == KIND_POD_DISRUPTION_BUDGET;
    if (stands_in && salvaged != NULL)
        put(kind, object_acquire(salvaged));
    else if (entry != NULL)
        drop(kind, entry);
}

static void take_invalid(struct mirror_kind *kind, const json_t *document,
                         const struct error *error)
{
    const char *name = metadata_text(document, "name");
    const char *namespace = metadata_text(document, "namespace");
    const char *version = metadata_text(document, "resourceVersion");
    if (name == NULL)
        name = "";
    if (version == NULL)
        version = "";
    struct object *salvaged =
        kind->view == NULL ? object_salvage(document, kind_get(kind->id)) : NULL;
    keep_salvaged(kind, namespace, name, salvaged);
    CLEANUP_FREE char *key = invalid_object_key(namespace, name);
    struct invalid_object *invalid = map_get(kind->invalid, key);
    if (invalid != NULL && strcmp(invalid->resource_version, version) == 0) {
        invalid->epoch = kind->epoch;
        object_release(salvaged);
        return;
    }
    invalid_object_destroy(
        map_set(kind->invalid, key, invalid_object_create(kind->epoch, salvaged, version)));
    log_error("ignoring an object that cannot be read", "s:kind", kind_get(kind->id)->name,
              "s:namespace", namespace, "s:name", name, "s:error", error->message);
    for (uint32_t i = 0; i < kind->invalid_handlers.count; i++)
        kind->invalid_handlers.items[i].handler(kind->invalid_handlers.items[i].context, kind->id,
                                                salvaged, error);
}

// After a list: removes objects that the list does not contain, except those observed later than
// the list was made.
static void sweep(struct mirror_kind *kind, const char *resource_version)
{
    for (uint32_t i = kind->table.count; i-- > 0;) { // backwards: removal moves the last entry
        if (i >= kind->table.count)
            continue;
        struct object_entry *entry = &kind->table.entries[i];
        if ((entry->epoch & ~EPOCH_OBSERVED) == kind->epoch && (entry->epoch & EPOCH_OBSERVED) == 0)
            continue;
        if ((entry->epoch & EPOCH_OBSERVED) != 0 &&
            resource_version_is_newer(entry->object->meta.resource_version, resource_version))
            continue;
        drop(kind, entry);
    }
    struct map_entry *next;
    for (struct map_entry *at = map_first(kind->invalid); at != NULL; at = next) {
        next = map_next(at);
        if (((struct invalid_object *)map_value(at))->epoch != kind->epoch)
            invalid_object_destroy(map_remove(kind->invalid, map_key(at)));
    }
}

static void notify(struct mirror_kind *kind, enum mirror_change change,
                   const struct object *old_object, const struct object *new_object)
{
    assert(change <= MIRROR_DELETED);
    assert((change == MIRROR_ADDED) == (old_object == NULL));
    assert((change == MIRROR_DELETED) == (new_object == NULL));
    for (uint32_t i = 0; i < kind->handlers.count; i++)
        kind->handlers.items[i].handler(kind->handlers.items[i].context, change, old_object,
                                        new_object);
}

static const char *metadata_text(const json_t *document, const char *name)
{
    return json_string_value(json_object_get(json_object_get(document, "metadata"), name));
}
