// The embedded cluster's object store, with Kubernetes semantics: resourceVersion, watch history,
// optimistic concurrency, generateName, generation, finalizers and deletion timestamps, status
// subresource, defaulting and validation from the tables for kinds that have one.
//
// Objects are JSON values and immutable once stored: readers borrow them (json_incref to keep),
// writers hand in a new value. Any kind of any group can be stored; the kinds it knows are
// registered as resources.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/loop.h"
#include "base/random.h"
#include "sim/store/store_json.h"
#include "sim/store/store_resources.h"

struct store;

// The seed determines uids and name suffixes; the clock gives timestamps.
struct store *store_create(struct loop *loop, uint64_t seed);
void store_destroy(struct store *store);
struct store_target { // an object, a part of it, or with less the objects of a namespace, of all
    const struct store_resource *resource;
    const char *namespace; // NULL or "" for cluster-scoped
    const char *name;
    const char *subresource; // NULL: everything but status; "status": status only
};

// All below: namespace NULL or "" for cluster-scoped.
json_t *store_get(struct store *store, const struct store_resource *resource, const char *namespace,
                  const char *name); // borrowed, or NULL
// Every object of the resource (namespace NULL: all), in order of namespace/name. The callback
// returns false to stop. The store must not be changed meanwhile.
void store_each(struct store *store, const struct store_resource *resource, const char *namespace,
                bool (*visit)(void *context, json_t *object), void *context);
uint32_t store_count(struct store *store, const struct store_resource *resource);
uint64_t store_version(const struct store *store);

// Writes answer the stored object (borrowed) or NULL with the error of an API server
// (ERROR_ALREADY_EXISTS, CONFLICT, NOT_FOUND, INVALID).
json_t *store_add(struct store *store, const struct store_resource *resource, const char *namespace,
                  json_t *object, struct error *error);
// Replaces; metadata.resourceVersion, if given, must match. Writing an object that is being deleted
// and has no finalizers left removes it.
json_t *store_replace(struct store *store, const struct store_target *target, json_t *object,
                      struct error *error);
struct store_delete_options {
    const char *uid, *resource_version;
    int64_t grace_period_seconds; // < 0: the default of the kind (pods: their own)
    const char *propagation;      // NULL, "Background", "Foreground", "Orphan"
};

// Watching. Events are delivered by loop_post, in order. `since` 0: from now. ERROR_GONE if `since`
// is older than the history kept.
struct store_watch;
typedef void (*store_event)(void *context, const char *type /* ADDED, MODIFIED, DELETED */,
                            json_t *object);
