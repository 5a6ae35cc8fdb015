// Metadata rules of every kind: names, uid, timestamps, generation, optimistic concurrency,
// finalizers, and the fields that a write of the main resource or of /status may change.
#pragma once

#include "sim/store/store_internal.h"

bool meta_prepare_new(struct store *store, const struct store_resource *resource,
                      const char *namespace, json_t *object, struct failure *failure);
bool meta_prepare_update(struct store *store, const struct store_resource *resource, json_t *object,
                         const json_t *old, const char *subresource, struct failure *failure);
bool resource_has_generation(const struct store_resource *resource);
// Takes the top-level fields that the write may change from object, the others from old.
void meta_split_status(const struct store_resource *resource, json_t *object, const json_t *old,
                       const char *subresource);
void meta_reset_status_of_new(const struct store_resource *resource, json_t *object);
bool meta_spec_changed(const json_t *object, const json_t *old);
void meta_set_version(json_t *object, uint64_t version); // the object's metadata must be private
bool meta_is_deleting(const json_t *object);
size_t meta_finalizers(const json_t *object);
