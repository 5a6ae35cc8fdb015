// The state of aws_machines.h, shared by its parts.
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "cloud/aws/instances/instance_cache.h"
#include "cloud/aws/instances/instance_calls.h"
#include "cloud/aws/instances/launches.h"
#include "cloud/aws/instances/machines_environment.h"

struct operation;

struct list_waiter {
    machine_list_callback done;
    void *context;
};
struct snapshot_of_instances { // the last complete list
    struct arena *arena;       // NULL: none
    struct aws_instance_facts *items;
    uint32_t count;
    int64_t taken_at;             // monotonic, when it was asked for
    uint64_t launches, deletions; // until then
};
struct aws_machines {
    struct aws_machines_environment environment;
    struct instance_calls *calls;
    struct instance_cache *cache;
    struct launches *launches;
    struct operation *operations;
    uint64_t deletions;
    const struct instance_type_catalog *no_types; // a reference
    struct metric *failures;                      // AWI-706
    struct metric *unresolved;                    // AWI-900
    // machine_list.c
    VECTOR(struct list_waiter) waiters;
    bool is_listing;
    int64_t asked_at;
    uint64_t asked_launches, asked_deletions;
    struct timer *list_timer;
    struct snapshot_of_instances snapshot;
    // machine_drift.c
    struct map *lookups; // instance id -> struct lookup
};
