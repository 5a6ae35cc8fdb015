// The manager: the context of every reconciler, of any room or provider. It holds the ports (loop,
// API client, mirror of the cluster), the settings, the queues, the observers and the operations
// under way. It knows no reconciler: one wakes another through wake.h.
#pragma once

#include "base/log.h"
#include "base/map.h"
#include "base/random.h"
#include "base/vector.h"
#include "kube/client.h"
#include "kube/event_recorder.h"
#include "kube/mirror.h"
#include "model/reading/settings.h"
#include "reconcile/reconcile_queue.h"

struct observer;
struct operations;

#define WAKE_TARGETS_MAX 16

struct manager {
    struct loop *loop;
    struct kube_client *client;
    struct mirror *mirror;
    const struct settings *settings;
    struct event_recorder *recorder; // NULL: no events
    struct metrics *registry;
    struct queue_metrics queue_metrics;
    struct random random;
    struct operations *operations;           // created and destroyed by the assembly (operations.h)
    VECTOR(struct reconcile_queue *) queues; // all of them, for start, stop and destroy
    VECTOR(struct observer *) observers;
    struct {
        void (*function)(void *context, const char *key); // NULL: none
        void *context;
    } wakes[WAKE_TARGETS_MAX]; // wake.h
    bool started, stopping;    // started: this replica leads, so it publishes and counts
};

struct manager_options { // all borrowed; they outlive the manager
    struct loop *loop;
    struct kube_client *client;
    struct mirror *mirror;
    const struct settings *settings;
    struct event_recorder *recorder; // NULL: no events
    struct metrics *metrics;
    uint64_t seed;
};
// Registers the metrics of the queues.
void manager_init(struct manager *manager, const struct manager_options *options);
void manager_free(struct manager *manager); // its queues and observers

// Creates a queue that starts, stops and is destroyed with the others.
struct reconcile_queue *manager_queue(struct manager *manager,
                                      const struct reconcile_queue_options *options);
void manager_start_queues(struct manager *manager);
// Sets `stopping`; no queue takes new work.
void manager_stop(struct manager *manager);

// Calls the handler for every change of the kind once this replica leads; objects that exist by
// then arrive as additions. For reconcilers that publish or count: a standby leaves that to its
// leader (LIF-331).
void manager_observe(struct manager *manager, enum kind_id kind, mirror_handler handler,
                     void *context);
// Sets `started` and replays the existing objects to the observers.
void manager_lead(struct manager *manager);
// A handler for mirror_on_change(): frees the map's (the context's) entry for the UID of a deleted
// object.
void forget_object(void *map, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object);

// LIF-340: between the bounds, by CPU_REQUESTS.
uint32_t manager_scale(const struct manager *manager, uint32_t minimum, uint32_t maximum);
int64_t manager_now(const struct manager *manager); // wall clock
