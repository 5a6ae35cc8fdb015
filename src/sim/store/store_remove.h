// Deletion: preconditions, finalizers, graceful deletion of pods, and deletion of namespaces.
#pragma once

#include "sim/store/store_draft.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_objects.h"

// With finalizers left or a grace period, sets deletionTimestamp and returns the object; otherwise
// removes the object and returns its last state, borrowed until the next call.
json_t *store_remove(struct store *store, const struct store_resource *resource,
                     const char *namespace, const char *name,
                     const struct store_delete_options *options, struct error *error);
void namespace_sweep(struct store *store, const char *namespace);
// *removed: the object is gone (otherwise its deletion has begun).
json_t *store_write_remove(struct store *store, const struct store_target *target,
                           const struct store_delete_options *delete_options,
                           const struct write_options *options, bool *removed,
                           struct failure *failure);
