// The scheduler's queue, as kube-scheduler's: active, backing off, unschedulable. Events move
// waiting pods back.
#pragma once

#include "sim/scheduler/scheduler_filters.h"
#include "sim/world/world_internal.h"

#define SCHEDULER_BIND_TIMEOUT_NS (10 * MINUTE)

enum scheduled_state {
    POD_ACTIVE,        // in the queue
    POD_BACKED_OFF,    // an event may help it; runs when its back-off is over or no other pod waits
    POD_UNSCHEDULABLE, // waits for a change
    POD_GATED,
    POD_BINDING, // has its node, waits for its volumes
};

struct scheduled_pod { // a pod that has no node yet
    char *key;
    const struct world_object *object; // as long as there is an entry
    uint64_t serial;
    int64_t priority;
    int64_t queued_at; // monotonic: its arrival, or the end of its last attempt
    enum scheduled_state state;
    uint32_t attempts;
    uint32_t reasons;  // of the last attempt: bits by enum filter_reason; 0: no filter refused it
    uint32_t position; // in its heap; UINT32_MAX: in none
    int64_t backoff_until; // monotonic
    char *node;            // POD_BINDING
    int64_t binding_since, bind_at;
};

struct pod_heap {
    VECTOR(struct scheduled_pod *) items;
    bool (*before)(const struct scheduled_pod *a, const struct scheduled_pod *b);
};

enum scheduler_event { // events that may help a waiting pod
    EVENT_NODE_ADDED = 1 << 0,
    EVENT_NODE_LABELS = 1 << 1,
    EVENT_NODE_TAINTS = 1 << 2, // spec.unschedulable, too
    EVENT_NODE_ALLOCATABLE = 1 << 3,
    EVENT_NODE_GONE = 1 << 4,
    EVENT_POD_CAME = 1 << 5,      // to a node, or has other labels
    EVENT_POD_LEFT = 1 << 6,      // or is no longer nominated to one
    EVENT_OTHER_CHANGED = 1 << 7, // volumes, namespaces
};

struct node_event {
    uint32_t node, events;
};

struct scheduler {
    struct world *world;
    struct filter_cluster *cluster;
    struct map *entries;            // by key: struct scheduled_pod *
    struct map *bindings_under_way; // by key: the entries in POD_BINDING
    struct pod_heap active;         // by priority, then by waiting time
    struct pod_heap backed_off;     // by the second in which the back-off ends, then as above
    struct timer *cycle, *backoff_over;
    struct work_queue *later, *hints, *bindings;
    uint32_t next_node; // where the next search begins
    uint64_t cycles;
    bool has_rejected; // this cycle has written a pod's refusal
    json_t *leaving;   // the state before the change in progress
    // Changes since the waiting pods were last examined.
    VECTOR(struct node_event) node_events;
    uint32_t events;
    // Pods of one ReplicaSet fail for the same reason as long as nothing changes.
    uint64_t version;     // of the state that decides about placement
    struct map *failures; // by the ReplicaSet's uid; NULL: none
};

typedef VECTOR(char *) claim_keys;

// --- scheduler_cycle.c ---------------------------------------------------------------------------

// --- scheduler_outcomes.c ------------------------------------------------------------------------

// --- scheduler_workload.c ------------------------------------------------------------------------

// --- scheduler_queue.c ---------------------------------------------------------------------------
bool scheduler_goes_before(const struct scheduled_pod *a, const struct scheduled_pod *b);
bool scheduler_backs_off_before(const struct scheduled_pod *a, const struct scheduled_pod *b);
void scheduler_activate(struct scheduler *scheduler, struct scheduled_pod *entry);
// The next pod: one that backs off only if no other waits; NULL: none.
struct scheduled_pod *scheduler_pop(struct scheduler *scheduler);
void scheduler_forget(struct scheduler *scheduler, struct scheduled_pod *entry); // frees it
// A failed attempt: the pod waits for an event that may help with its reasons; without reasons for
// the end of its back-off.
void scheduler_give_up(struct scheduler *scheduler, struct scheduled_pod *entry);
// An event may help the pod: it is retried, but not before the end of its back-off if others wait.
void scheduler_requeue(struct scheduler *scheduler, struct scheduled_pod *entry);
void scheduler_end_backoffs(void *scheduler);
void scheduler_take_waiting(void *scheduler, const char *key);

// --- scheduler_events.c --------------------------------------------------------------------------
