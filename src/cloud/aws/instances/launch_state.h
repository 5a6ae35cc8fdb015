// The state of launches: claims, their launches, the fleets that these are part of.
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "cloud/aws/instances/batcher.h"
#include "cloud/aws/instances/launch.h"

struct fleet;
struct launches;
struct launch;

struct waiter {
    machine_callback callback;
    void *context;
};
struct claim_record { // of a NodeClaim, until it is deleted
    char *uid;
    uint32_t attempts;     // fleets that ended for certain: part of the token
    struct launch *launch; // under way or suspended; NULL: none
    struct arena *arena;   // of the machine; NULL: none yet
    struct machine machine;
    bool is_gone; // the claim is deleted; the launch still runs
};
struct launch {
    struct launches *launches;
    struct launch *next, *previous;
    struct claim_record *record;
    struct launch_plan plan;
    VECTOR(struct waiter) waiters;
    VECTOR(char *) templates; // names, for launch_templates_forget()
    json_t *request;          // for one instance
    struct fleet *fleet;      // that it is part of; NULL: not yet
    struct timer *timer;      // to answer later; NULL: none
    struct launch_error error;
    bool retried;         // AWI-250.9
    bool has_fallen_back; // AWI-930
    bool is_suspended;    // its fleet's outcome is unknown, and nobody waits
};
// How a launch goes on after its fleet.
struct launch_endings {
    void (*succeed)(struct launch *launch, const struct fleet_instance *instance,
                    int64_t asked_at);                                     // instant of the call
    void (*fail)(struct launch *launch, const struct launch_error *error); // for certain
    // The outcome is unknown: answers those who wait, and stays with its fleet.
    void (*suspend)(struct launch *launch, const struct launch_error *error);
    // The templates were gone: once more from the templates on, or fails.
    void (*retry)(struct launch *launch, const struct launch_error *error);
};
struct launches {
    const struct launch_endings *endings;
    struct aws_machines_environment environment;
    struct map *records; // UID -> struct claim_record
    struct map *advices; // texts about quotas, by themselves
    struct launch *first;
    struct fleet *fleets;
    struct batcher *batcher;
    struct metric *failures;   // AWI-703
    struct metric *spot_pools; // AWI-932
    uint64_t made;
};
