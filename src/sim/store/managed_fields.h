// metadata.managedFields: which manager wrote which field of an object. Source: Kubernetes,
// "Server-Side Apply".
#pragma once

#include "sim/store/failure.h"
#include "sim/store/store_draft.h"

struct store;

struct field_manager {
    const char *name, *subresource; // subresource NULL: of the object itself
    bool applies;                   // server-side; false: any other write
};

// After a write that is no apply: the manager owns what it has changed, and nobody else does. `old`
// NULL: the object is new. `object` is under construction.
void managed_fields_update(struct store *store, json_t *object, const json_t *old,
                           const struct field_manager *manager);
// The fields that the applying manager owns now, or NULL; borrowed.
json_t *managed_fields_of(const json_t *object, const struct field_manager *manager);
// The fields that anybody else owns; new reference.
json_t *managed_fields_of_others(const json_t *object, const struct field_manager *manager);
// After an apply of these fields: they are the manager's; others lose those that it has changed.
void managed_fields_apply(struct store *store, json_t *object, const json_t *old,
                          const struct field_manager *manager, const json_t *applied);
// Refuses an apply that changes fields of others (409, a cause for each field).
bool managed_fields_conflict(const json_t *old, const json_t *merged,
                             const struct field_manager *manager, struct failure *failure);
