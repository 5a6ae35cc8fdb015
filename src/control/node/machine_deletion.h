// The end of a machine, as the controllers of Nodes and of NodeClaims each see it: the cloud is
// told to delete it, and told again until it says that there is none (LIF-83, LIF-140); then our
// finalizer comes off (LIF-85, LIF-107).
#pragma once

#include "control/runtime/machine_operations.h"

struct machine_deletion { // of one Node or NodeClaim; a cache, made new after a restart
    bool is_gone;         // the cloud said "not found"
    bool is_accepted; // the cloud has accepted the deletion at least once, or had nothing to end
    int64_t again_ns; // monotonic: when it is told again
    // Monotonic: our finalizer is off; 0: it is not. The answer of the patch that takes the last
    // one away has the old resourceVersion, so the mirror keeps the object as it was until the
    // watch says that it is gone.
    int64_t finalized_ns;
};

// Whether the cloud is to be told (again) now; if so, the next time is 5 s later.
bool machine_deletion_is_due(struct machine_deletion *deletion, int64_t now_ns);
// The cloud's answer to a deletion, for its recorder to return.
enum operation_outcome machine_deletion_note(struct machine_deletion *deletion,
                                             const struct machine_result *result);

// Takes our finalizer off; `removal` says what is reconciled and who records the answer.
struct reconcile_result finalizer_remove(const struct operation_about *removal,
                                         const struct object *object);
// Whether that answer says that our finalizer is off.
bool finalizer_is_off(const struct kube_result *result);
// How long the watch may still take to say so; at most 0: it was put on again, or never came off.
int64_t machine_deletion_watch_ns(const struct machine_deletion *deletion, int64_t now_ns);
