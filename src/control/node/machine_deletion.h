// The end of a machine, for the controllers of Nodes and of NodeClaims: the delete call is repeated
// until the cloud reports that the machine is gone (LIF-83, LIF-140); then adze's finalizer is
// removed (LIF-85, LIF-107).
#pragma once

#include "control/runtime/machine_operations.h"

struct machine_deletion { // of one Node or NodeClaim; a cache, empty after a restart
    bool is_gone;         // the cloud answered "not found"
    bool is_accepted;     // the cloud has accepted the deletion at least once, or found nothing
    int64_t next_call_ns; // monotonic
    // Monotonic: adze's finalizer is removed; 0: it is not. The patch that removes the last
    // finalizer answers with the old resourceVersion, so the mirror keeps the object until the
    // watch shows its deletion.
    int64_t finalized_ns;
};

// Whether the delete call is due; if so, the next one is 5 s later.
bool machine_deletion_is_due(struct machine_deletion *deletion, int64_t now_ns);
// Records the cloud's answer to the delete call; returns the recorder's result.
enum operation_outcome machine_deletion_note(struct machine_deletion *deletion,
                                             const struct machine_result *result);

// Removes adze's finalizer; `removal` gives the item and the recorder of the answer.
struct reconcile_result finalizer_remove(const struct operation_about *removal,
                                         const struct object *object);
// Whether the answer shows that adze's finalizer is removed.
bool finalizer_is_off(const struct kube_result *result);
// The remaining time for the watch to show the deletion; at most 0: the finalizer is there, again
// or still.
int64_t machine_deletion_watch_ns(const struct machine_deletion *deletion, int64_t now_ns);
