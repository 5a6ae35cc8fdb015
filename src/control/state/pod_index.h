// Pods by the node that they are bound to, and the unbound pods. A removal is O(1): the last pod of
// a list moves into the gap.
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "control/state/scheduler_turns.h"
#include "model/schema/core.h"

struct pod_list {
    const struct pod **items;
    uint32_t count, capacity;
};

struct pod_record {
    const struct pod *pod;  // acquired
    struct pod_list *bound; // the list of its node, NULL if unbound
    uint32_t bound_index, provisionable_index, unbound_index;
    struct scheduler_turn turn;
    int64_t planned_ns;   // monotonic: when it got its planned place, if it has one
    int64_t lost_ns;      // monotonic: when an attempt in vain ended its nomination; 0: it has one
    int64_t displaced_ns; // monotonic: the loss of its planned room; 0: not displaced
    bool provisionable, is_unbound;
    bool is_in_pass; // the pass under way has a place for it, which is yet to be made
    bool is_put_off; // nominated after its workload's other pods on the node
};

struct pod_index {
    struct map *records;                    // pod_record by namespace/name
    struct map *bound;                      // pod_list by node name
    struct pod_list provisionable, unbound; // the latter: neither bound nor terminal
    struct scheduler_turns turns;
};

void pod_index_init(struct pod_index *index);
void pod_index_free(struct pod_index *index);
struct pod_record *pod_index_find(const struct pod_index *index, const struct pod *pod); // or NULL
// Adds a record without a pod if there is none: pod_index_replace() must follow.
struct pod_record *pod_index_ensure(struct pod_index *index, const struct pod *pod, int64_t now_ns);
// Sets the pod's current version. `provisionable` counts if it is not bound.
void pod_index_replace(struct pod_index *index, struct pod_record *record, const struct pod *pod,
                       bool provisionable, int64_t now_ns);
void pod_index_remove(struct pod_index *index, struct pod_record *record);
// Pods by when kube-scheduler tries them (scheduler_turns.h).
int64_t pod_index_turn(const struct pod_index *index, const struct pod *pod);
const struct pod_list *pod_index_on(const struct pod_index *index, const char *node_name);
// Drops the list of a deleted node if it is empty: node names are rarely reused, so lists would
// pile up.
void pod_index_drop_node(struct pod_index *index, const char *node_name);
