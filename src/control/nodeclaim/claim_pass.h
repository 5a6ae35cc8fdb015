// One pass over a NodeClaim (struct claim_pass, of lifecycle.h) runs launch, registration,
// initialization and liveness in this order. Each step reads the NodeClaim, its Node and the
// working copy of its conditions, and records the required changes in the pass. The pass then
// starts one operation, whose end requeues the NodeClaim for the next. So a pass may end anywhere,
// by a crash as well, and the next one goes on from the state in the API server.
#pragma once

#include "control/node/machine_deletion.h"
#include "control/runtime/control.h"
#include "reconcile/conditions.h"

struct launch_backoff;
struct nominator;
struct registration_health;
struct termination;
struct lifecycle_parts { // borrowed, from the rooms below
    struct launch_backoff *launch_backoff;
    struct registration_health *registration_health;
    struct nominator *nominator; // NULL: pods are not nominated
    const struct termination *termination;
};

struct claim_record { // the memory of a NodeClaim; a cache, empty after a restart
    char *uid;
    // The cloud's last answer to create, until it is written into the NodeClaim (LIF-31).
    struct arena *machine_arena; // NULL: no machine
    struct machine machine;
    struct error launch_error; // ERROR_NONE: none
    char *launch_reason;       // of a classified error
    uint32_t launch_failures;
    int64_t retry_at_ns; // monotonic
    // The transitions of the status patch under way, published when it has succeeded.
    bool reports_launched, reports_registered, reports_initialized;
    const char *delete_reason; // of the deletion under way: label of nodeclaims_disrupted_total
    bool failure_recorded;     // in registration health (LIF-441)
    const char
        *blocked_reason; // why it is not initialized, LIF-443; static text; NULL: not examined yet
    int64_t blocked_since; // wall clock
    int64_t node_seen_ns;  // monotonic: first sight of its Node, before registration; 0: not yet
    struct machine_deletion deletion;
};

struct lifecycle_shared { // by all passes, and by the recorders of their operations
    struct control *control;
    struct lifecycle_parts parts;
    struct map *records; // struct claim_record by NodeClaim name
};

struct claim_pass {
    struct control *control;
    struct lifecycle_shared *shared;
    const struct lifecycle_parts *parts;
    struct work_item *item;
    const struct node_claim *claim;
    struct claim_record *record;
    struct arena *arena;
    int64_t now;
    struct conditions conditions;
    json_t *labels, *annotations; // additions to the NodeClaim, NULL: none
    json_t *status;               // fields besides conditions, NULL: none
    const struct node *node;      // to patch with:
    json_t *node_patch;
    const char *node_doing;
    bool node_settles;         // the Node is new and about to be registered
    bool create;               // call the cloud
    const char *delete_reason; // delete the NodeClaim
    int64_t requeue_ns;        // INT64_MAX: none
    struct error error;        // ERROR_NONE: none
};

// The NodeClaim's record; a new one if there is none of its UID.
struct claim_record *claim_record_for(struct lifecycle_shared *shared,
                                      const struct node_claim *claim);
void claim_record_forget(struct lifecycle_shared *shared, const char *name);
void claim_record_destroy(void *record);

// The earliest request counts.
void pass_requeue(struct claim_pass *pass, int64_t after_ns);
