// Shared by launches.c (claims and their launches) and fleets.c (calls of CreateFleet).
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "cloud/aws/instances/batcher.h"
#include "cloud/aws/instances/launch.h"
#include "cloud/aws/instances/launches.h"

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
    bool retried;      // AWI-250.9
    bool is_suspended; // its fleet's outcome is unknown, and nobody waits
};
struct launches {
    struct aws_machines_environment environment;
    struct map *records; // UID -> struct claim_record
    struct launch *first;
    struct fleet *fleets;
    struct batcher *batcher;
    struct metric *failures; // AWI-703
    uint64_t made;
};

// --- launches.c ----------------------------------------------------------------------------------
void launch_succeed(struct launch *launch, const struct fleet_instance *instance,
                    int64_t asked_at);                                     // instant of the call
void launch_fail(struct launch *launch, const struct launch_error *error); // for certain
// The outcome is unknown: answers those who wait, and stays with its fleet.
void launch_suspend(struct launch *launch, const struct launch_error *error);
// The templates were gone: once more from the templates on, or fails.
void launch_retry(struct launch *launch, const struct launch_error *error);

// --- fleets.c ------------------------------------------------------------------------------------
void fleets_run(void *launches, struct batch *batch); // of struct launch
void fleet_resume(struct fleet *fleet);               // sends it again, unless it is under way
void fleet_leave(struct launch *launch);              // the last one frees the fleet
void fleets_destroy(struct launches *launches);
