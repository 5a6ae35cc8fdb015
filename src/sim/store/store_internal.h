// Shared by the files of the store. Not for others.
#pragma once

#include "base/loop.h"
#include "base/map.h"
#include "base/random.h"
#include "sim/store/failure.h"
#include "sim/store/store_index.h"
#include "sim/store/store_json.h"
#include "sim/store/store_resource.h"

#define STORE_RESOURCES_MAX  256
#define STORE_HISTORY_MAX    4096 // changes kept a resource for resumed watches
#define STORE_GENERATE_TRIES 8

struct change { // one write, as watches see it
    uint64_t version;
    const char *type;          // ADDED, MODIFIED, DELETED
    json_t *object, *previous; // references; previous NULL for ADDED
};

struct table { // one registered resource
    struct store_resource *resource;
    struct index *objects; // by object_key(): json_t *
    // History: a ring of the changes with versions above `compacted`.
    struct change *changes;
    uint32_t changes_first, changes_count, changes_capacity;
    uint64_t changes_dropped; // count; the sequence number of the first one kept
    uint64_t compacted;
    struct store_watch *watches; // list
    uint32_t watches_pending;    // of them with undelivered changes
};

struct store {
    struct loop *loop;
    struct random random;
    uint64_t version;
    struct store_resource resources[STORE_RESOURCES_MAX]; // never moves
    struct table tables[STORE_RESOURCES_MAX];
    uint32_t resources_count;
    struct map *resources_by_path; // "group/version/plural"
    struct map *resources_by_kind; // "group/version/Kind"
    struct map *namespace_objects; // namespace -> number of objects in it, as uintptr_t
    const struct store_resource *namespaces, *pods, *limit_ranges, *priority_classes;
    const struct store_resource *service_accounts, *definitions;
    // Called when a namespace has been created; NULL: not (store_furnish.h).
    void (*namespace_added)(struct store *store, const char *namespace);
    json_t *types; // builtin_types_create(), when first needed
    json_t *last_removed;
    // Delivery of watch events: watches with pending changes, in order.
    struct timer *delivery;
    struct store_watch *pending_first, *pending_last;
    struct store_watch *delivering; // whose handler is running
};

const json_t *store_types(struct store *store); // of the built-in kinds; borrowed
struct table *store_table(struct store *store, const struct store_resource *resource);
// Writes "namespace/name", or "name" if cluster-scoped, to out.
#define OBJECT_KEY_MAX 600
bool object_key(const char *namespace, const char *name, char out[OBJECT_KEY_MAX]);
const char *now_text(struct store *store, char out[40]); // seconds

// Removes the object and notifies the watches. Returns the last state, borrowed until the next
// removal.
json_t *store_drop(struct store *store, struct table *table, const char *key);
