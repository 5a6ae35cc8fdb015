// Shared by the parts of aws_machines: operations (aws_machines.c), lists (machine_list.c), drift
// (machine_drift.c).
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "cloud/aws/instances/aws_machines.h"
#include "cloud/aws/instances/instance_cache.h"
#include "cloud/aws/instances/instance_calls.h"
#include "cloud/aws/instances/launches.h"

struct list_waiter { // wants machines, or facts
    machine_list_callback machines_done;
    aws_machines_listed facts_done;
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
    struct metric *failures; // AWI-706
    // machine_list.c
    VECTOR(struct list_waiter) waiters;
    bool is_listing;
    int64_t asked_at;
    uint64_t asked_launches, asked_deletions;
    struct timer *list_timer;
    struct snapshot_of_instances snapshot;
    // machine_drift.c
    struct map *lookups; // instance id -> struct lookup
    uint32_t looking;
};
// AWI-415: the machine of an instance, with its type as its NodePool's NodeClass has it now.
void machine_of_facts(struct aws_machines *machines, struct arena *arena,
                      const struct aws_instance_facts *facts, struct machine *machine);
// Whether traffic is shifted away from the instance's zone (AWI-650).
bool instance_is_shifted(const struct aws_machines *machines,
                         const struct aws_instance_facts *facts);
const struct ec2_node_class *usable_node_class(const struct aws_machines *machines,
                                               const char *name);

void machine_list_create(struct aws_machines *machines);
void machine_list_destroy(struct aws_machines *machines);
void machine_drift_create(struct aws_machines *machines);
void machine_drift_destroy(struct aws_machines *machines);
