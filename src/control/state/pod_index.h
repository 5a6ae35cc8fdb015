// Pods by the node that they are bound to, and those that are bound to none. A change costs what it
// touches: a pod leaves a list when the last one moves into its place.
#pragma once

#include "base/map.h"
#include "model/schema/core.h"

struct pod_list {
    const struct pod **items;
    uint32_t count, capacity;
};

struct pod_record {
    const struct pod *pod;  // acquired
    struct pod_list *bound; // the list of its node, NULL if unbound
    uint32_t bound_index, provisionable_index, unbound_index;
    uint64_t serial;      // in the order of first sight
    int64_t displaced_ns; // monotonic: when it lost its planned room; 0: it did not
    bool provisionable, is_unbound;
    bool is_put_off; // not to be nominated with the others of its workload on the node
};

struct pod_index {
    struct map *records;                    // pod_record by namespace/name
    struct map *bound;                      // pod_list by node name
    struct pod_list provisionable, unbound; // the latter: neither bound nor terminal
    uint64_t last_serial;
};

void pod_index_init(struct pod_index *index);
void pod_index_free(struct pod_index *index);
struct pod_record *pod_index_find(const struct pod_index *index, const struct pod *pod); // or NULL
// Adds a record without a pod if there is none: pod_index_replace() is to follow.
struct pod_record *pod_index_ensure(struct pod_index *index, const struct pod *pod);
// The pod as it is now. `provisionable` counts if it is not bound.
void pod_index_replace(struct pod_index *index, struct pod_record *record, const struct pod *pod,
                       bool provisionable);
void pod_index_remove(struct pod_index *index, struct pod_record *record);
const struct pod_list *pod_index_on(const struct pod_index *index, const char *node_name);
// Node names never come back in a cluster that scales: drops the list of a gone node if it is
// empty.
void pod_index_drop_node(struct pod_index *index, const char *node_name);
