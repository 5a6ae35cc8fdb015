// The store's writes with the answers that an API server needs: failures with their details,
// warnings, dry runs. store.h's functions are these with the details left out.
#pragma once

#include "sim/store/failure.h"
#include "sim/store/store.h"

struct write_options {
    bool
        dry_run; // everything but the writing; the answer is owned by the store until the next call
    bool lenient;     // unknown fields of custom kinds are dropped instead of refused
    json_t *warnings; // array that gets texts for the Warning header; may be NULL
};

struct store_draft {   // an object on its way into the store
    json_t *object;    // a private copy; validation may replace it by its stored form
    const json_t *old; // NULL: it is new
    const char *subresource;
    const struct write_options *options;
};

json_t *store_write_add(struct store *store, const struct store_resource *resource,
                        const char *namespace, json_t *object, const struct write_options *options,
                        struct failure *failure);
json_t *store_write_replace(struct store *store, const struct store_target *target, json_t *object,
                            const struct write_options *options, struct failure *failure);

// Watching with the object before the change (NULL for ADDED), for selectors.
struct store_change {
    const char *type;
    json_t *object, *previous;
    uint64_t version;
};
typedef void (*store_change_event)(void *context, const struct store_change *change);
// Calls `visit` for the objects from `key` on ("namespace/name" or "name"; NULL: all).
void store_each_from(struct store *store, const struct store_resource *resource,
                     const char *namespace, const char *key,
                     bool (*visit)(void *context, json_t *object), void *context);
