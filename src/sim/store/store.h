// The embedded cluster's object store, with Kubernetes semantics: resourceVersion, watch history,
// optimistic concurrency, generateName, generation, finalizers and deletion timestamps, status
// subresource, defaulting and validation from the tables for kinds that have one.
//
// Objects are JSON values and immutable once stored: readers borrow them (json_incref to keep),
// writers pass a new value. Any kind of any group can be stored once it is registered as a
// resource.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/loop.h"
#include "base/random.h"
#include "sim/store/store_draft.h"
#include "sim/store/store_objects.h"
#include "sim/store/store_resources.h"
#include "sim/store/store_watch_event.h"

struct store;

// The seed determines uids and name suffixes; the clock gives timestamps.
struct store *store_create(struct loop *loop, uint64_t seed);
void store_destroy(struct store *store);
// Writes return the stored object (borrowed) or NULL with the error of an API server
// (ERROR_ALREADY_EXISTS, CONFLICT, NOT_FOUND, INVALID).
json_t *store_add(struct store *store, const struct store_resource *resource, const char *namespace,
                  json_t *object, struct error *error);
// Replaces the object; metadata.resourceVersion, if given, must match. Writing an object that is
// being deleted and has no finalizers left removes it.
json_t *store_replace(struct store *store, const struct store_target *target, json_t *object,
                      struct error *error);
