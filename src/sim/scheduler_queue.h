// The scheduler's queue: which pods are to be tried now, which wait, and what wakes those that
// wait.
#pragma once

#include "sim/scheduler.h"
#include "sim/scheduler_filters.h"

#define SCHEDULER_BIND_TIMEOUT_NS (10 * MINUTE)

enum scheduled_state {
    POD_ACTIVE,        // in the queue
    POD_BACKED_OFF,    // will be in a moment
    POD_UNSCHEDULABLE, // waits for a change
    POD_GATED,
    POD_BINDING, // has its node, waits for its volumes
};

struct scheduled_pod { // a pod that has no node yet
    char *key;
    const struct world_object *object; // as long as there is an entry
    uint64_t serial;
    int64_t priority, created;
    enum scheduled_state state;
    uint32_t attempts;
    uint32_t position;         // in the queue
    int64_t tried, backoff_ns; // monotonic time of the last attempt; pause after it
    char *node;                // POD_BINDING
    int64_t binding_since;
};

struct scheduler {
    struct world *world;
    struct filter_cluster *cluster;
    struct map *entries;                   // by key: struct scheduled_pod *
    struct map *bindings_under_way;        // by key: the entries in POD_BINDING
    VECTOR(struct scheduled_pod *) active; // heap: by priority, age, serial
    struct timer *cycle;
    struct work_queue *later, *hints, *bindings;
    uint32_t next_node; // where the next search begins
    uint64_t cycles;
    json_t *leaving;    // the state before the change that is being told
    // What has changed since the waiting pods were last looked at.
    VECTOR(uint32_t) changed_nodes;
    bool others_changed;
    // Pods of one ReplicaSet fail for the same reason as long as nothing changes.
    uint64_t version; // of what decides where a pod may go
    struct {
        uint64_t version;
        json_t *pod; // that has failed; NULL: none yet
        char *message;
    } failure;
};

// The ReplicaSet whose pods the scheduler cannot tell apart, as long as they are as it made them; NULL:
// the pod is one of its own.
const char *scheduler_kin(const struct pod *pod);

// In the arena, with texts of the objects that it is made of; NULL: the pod belongs to no workload.
const struct label_selector *scheduler_workload(const struct world *world,
                                                const struct world_object *pod,
                                                struct arena *arena);
void scheduler_activate(struct scheduler *scheduler, struct scheduled_pod *entry);
struct scheduled_pod *scheduler_pop(struct scheduler *scheduler);                // NULL: empty
void scheduler_forget(struct scheduler *scheduler, struct scheduled_pod *entry); // frees it
// An attempt was in vain: the pod waits for a change, and backs off.
void scheduler_give_up(struct scheduler *scheduler, struct scheduled_pod *entry);
// A node has room or properties that it had not; FILTER_NODE_NONE is ignored.
void scheduler_hint_node(struct scheduler *scheduler, uint32_t node);
// Pods, volumes or namespaces have changed.
void scheduler_hint_others(struct scheduler *scheduler);
void scheduler_use_hints(void *scheduler, const char *key);
