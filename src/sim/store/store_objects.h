// Objects of the store, read by name or in order.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/store/store_json.h"
#include "sim/store/store_resource.h"

struct store;

struct store_target { // an object or a part of it; without a name a namespace, or all
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

// Calls `visit` for the objects from `key` on ("namespace/name" or "name"; NULL: all).
void store_each_from(struct store *store, const struct store_resource *resource,
                     const char *namespace, const char *key,
                     bool (*visit)(void *context, json_t *object), void *context);
