// Conditions of NodeClaim, NodePool and NodeOverlay: a working copy of an object's list under the
// rules LIF-10 to LIF-16, written back if it changed.
//
// The root condition `Ready` follows from the kind's dependents (NodeClaim: Launched, Registered,
// Initialized; NodePool: ValidationSucceeded, NodeClassReady; NodeOverlay: ValidationSucceeded).
// Everything lives in the given arena; texts are copied.
#pragma once

#include "base/vector.h"
#include "model/schema/condition_reasons.h"

struct conditions {
    struct arena *arena;
    VECTOR(struct condition) items; // release with conditions_free()
    enum kind_id kind;              // of the object
    const enum condition_type
        *dependents; // CONDITION_READY, the root, comes last; NULL: a kind without a root
    int64_t generation, created, now, sets;
    bool deleting, changed;
    // To be set after reading: within one pass later transitions are newer, and the root's message
    // shows their order; the API has whole seconds.
    bool orders_transitions;
};

// Copies `list` and adds the conditions that LIF-11 requires. `now` is truncated to whole seconds,
// the API's resolution.
void conditions_read(struct conditions *conditions, struct arena *arena,
                     const struct object *object, const condition_list *list, int64_t now);
// The same with dependents of the caller's choice (ending with CONDITION_READY), for a kind whose
// dependents follow from settings.
void conditions_read_with(struct conditions *conditions, struct arena *arena,
                          const struct object *object, const condition_list *list, int64_t now,
                          const enum condition_type *dependents);
void conditions_free(struct conditions *conditions);

// LIF-12, LIF-15. message NULL: empty. Returns whether anything changed.
bool conditions_set(struct conditions *conditions, enum condition_type type, const char *status,
                    enum condition_reason reason, const char *message);
// For reasons that others choose: a provider, a node class. reason NULL: the type.
bool conditions_set_named(struct conditions *conditions, enum condition_type type,
                          const char *status, const char *reason, const char *message);
bool conditions_set_true(struct conditions *conditions, enum condition_type type); // for its type
// Removes an independent condition; a dependent stays (LIF-14).
bool conditions_clear(struct conditions *conditions, enum condition_type type);

const struct condition *conditions_get(const struct conditions *conditions,
                                       enum condition_type type);
bool conditions_are(const struct conditions *conditions, enum condition_type type,
                    const char *status);

json_t *conditions_encode(const struct conditions *conditions);
