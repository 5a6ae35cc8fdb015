// Writes of the world's parts: straight into the store, then into the cache. The cache is up to
// date afterwards, and `object` may be gone. Values are stolen. Returns false if refused, with the
// reason in *error, if given.
#pragma once

#include "sim/world/world_internal.h"

// delay_ns plus up to options.jitter of it, by the seed and `text` alone.
int64_t world_jitter(const struct world *world, const char *text, int64_t delay_ns);
#define WORLD_NAME_MAX 300
// `name`: perhaps generated.
bool world_add_named(struct world *world, enum kind_id id, const char *namespace, json_t *value,
                     char name[WORLD_NAME_MAX], struct error *error);
bool world_add(struct world *world, enum kind_id id, const char *namespace, json_t *value,
               struct error *error);
// Of a kind without a table (world_kind_other()).
bool world_add_other(struct world *world, struct world_kind *kind, const char *namespace,
                     json_t *value);
bool world_replace(struct world *world, struct world_object *object, json_t *value);
// Through a subresource's own write ("binding": spec.nodeName and status together).
bool world_replace_as(struct world *world, struct world_object *object, const char *subresource,
                      json_t *value, struct error *error);
// Writes only a changed status.
bool world_set_status(struct world *world, struct world_object *object, json_t *status);
// grace_s < 0: the default. propagation may be NULL.
bool world_remove(struct world *world, struct world_object *object, int64_t grace_s,
                  const char *propagation);
// A copy of the object for writing: top level, metadata and spec are private.
json_t *world_copy(const struct world_object *object);
json_t *world_copy_status(const struct world_object *object); // its status, or an empty object
void world_now(const struct world *world, char out[INSTANT_TEXT_MAX]);
// Sets one of the conditions in `status`; the transition time changes with the status only. True if
// changed.
bool world_condition(const struct world *world, json_t *status, const char *type,
                     const char *condition_status, const char *reason, const char *message);
void world_add_owner(json_t *value, const struct world_object *owner); // as controller
bool world_add_finalizer(json_t *value, const char *finalizer);        // false: already present
bool world_drop_finalizer(json_t *value, const char *finalizer);       // false: absent
void world_event(struct world *world, const struct world_object *object, const char *type,
                 const char *reason, const char *component, const char *message);
