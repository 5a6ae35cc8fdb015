// The manager: what every reconciler has in hand, whichever room or provider it belongs to. It
// holds the ports (loop, API client, mirror of the cluster), the settings, the queues, the
// observers and the operations under way. It knows no reconciler: one wakes another by wake.h.
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
    struct operations *operations;           // made and destroyed by the assembly (operations.h)
    VECTOR(struct reconcile_queue *) queues; // all of them, for start, stop and destroy
    VECTOR(struct observer *) observers;
    struct {
        void (*function)(void *context, const char *key); // NULL: nobody
        void *context;
    } wakes[WAKE_TARGETS_MAX]; // wake.h
    bool started, stopping;    // started: this replica leads; until then it says and counts nothing
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

// A queue that starts, stops and dies with the others.
struct reconcile_queue *manager_queue(struct manager *manager,
                                      const struct reconcile_queue_options *options);
void manager_start_queues(struct manager *manager);
// `stopping` is set, and no queue takes new work.
void manager_stop(struct manager *manager);
// No queue has anything in work or ready for it.
bool manager_is_idle(const struct manager *manager);

// Calls the handler for every change of the kind once this replica leads; what is there by then
// comes as if it had just been added. For those who tell people or count: a standby leaves that to
// its leader (LIF-331).
void manager_observe(struct manager *manager, enum kind_id kind, mirror_handler handler,
                     void *context);
// Sets `started`; the observers learn what is there.
void manager_lead(struct manager *manager);
// A handler for mirror_on_change(): what the map (the context) has by the UID of an object that is
// gone is freed.
void forget_object(void *map, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object);

// LIF-340: between the bounds, by CPU_REQUESTS.
uint32_t manager_scale(const struct manager *manager, uint32_t minimum, uint32_t maximum);
int64_t manager_now(const struct manager *manager); // wall clock
