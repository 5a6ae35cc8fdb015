// One pass of node.termination over a deleted Node, for its steps: each reads the Node and the
// working copy of its NodeClaim's conditions, and returns the pending wait or the operation that it
// started.
#pragma once

#include "control/node/machine_deletion.h"
#include "control/runtime/control.h"
#include "reconcile/conditions.h"

struct eviction_queue;
struct interruptions;

struct node_record { // a cache, empty after a restart
    char *uid;
    int64_t tainted_at_ns; // monotonic: first sight of the taint; 0: not yet
    int64_t asked_at_ns;   // monotonic: the cloud's last confirmation that the instance exists
    struct machine_deletion deletion;
    bool gone;          // adze's finalizer, the last one, is removed
    int64_t blocked_ns; // monotonic: the drain is blocked since, or the pods were last named; 0:
                        // not blocked
    bool drained_now;   // the status patch under way turns Drained to True
};

struct termination_shared { // by all passes, and by the recorders of their operations
    struct control *control;
    struct eviction_queue *evictions;
    struct interruptions *interruptions;
    struct map *records; // by Node name
};

struct termination_pass {
    struct termination_shared *shared;
    struct control *control;
    struct work_item *item;
    const struct node *node;
    const struct node_claim *claim; // NULL: none, or several (LIF-101)
    struct node_record *record;
    struct arena *arena;
    struct conditions conditions; // of the claim
    int64_t now, now_ns, deadline;
};

// The Node's record; a new one if there is none of its UID.
struct node_record *node_record_for(struct termination_shared *shared, const struct node *node);
void node_record_forget(struct termination_shared *shared, const char *name);
void node_record_destroy(void *record);

// The data of an operation; its answer is recorded with the context struct termination_shared.
struct operation_about termination_about(const struct termination_pass *pass, const char *doing);
// Nothing without a NodeClaim; the reason's name is the message, too.
void termination_set_condition(struct termination_pass *pass, enum condition_type type,
                               const char *status, enum condition_reason reason);
void termination_set_condition_true(struct termination_pass *pass, enum condition_type type);
