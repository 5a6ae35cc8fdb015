// The controller: every reconciler over one cluster and one cloud. The real program and the
// simulation run the same one.
//
//     mirror ──▶ cluster state, queues ──▶ reconcilers ──▶ operations on the API and the cloud
//        ▲                                                              │
//        └────────────── answers (mirror_observe), watch events ◀───────┘
//
// Nothing in here is more than a cache: it may be destroyed at any moment, and another one, made
// over the same API server and cloud, goes on from what it finds.
#pragma once

#include "base/loop.h"
#include "base/metrics.h"
#include "cloud/port/cloud.h"
#include "kube/event_recorder.h"
#include "kube/mirror.h"
#include "model/reading/settings.h"

struct controller;

struct controller_options { // all borrowed; they outlive the controller
    struct loop *loop;
    struct kube_client *client;
    struct mirror *mirror;
    struct cloud *cloud;
    const struct settings *settings;
    struct event_recorder *recorder; // NULL: no events
    struct metrics *metrics;
    uint64_t seed;        // of NodeClaims' names
    bool watches_are_set; // the caller has called controller_watch() already
    bool compares_crds;   // the API server has definitions of the kinds (API-620)
    bool learns_cpu_use;  // what metrics.k8s.io says is of pods that really run
    // Where it publishes the provider's record once it leads (cloud/port/provider_record.h); NULL:
    // nowhere.
    const char *record_namespace;
    uint32_t
        pass_pods_max; // pending pods that a pass plans at once; 0: by MEMORY_LIMIT, 20,000 at most
};

// Begins to mirror every kind that the controller reads. A caller whose cloud provider needs the
// mirror calls it first; standby replicas fill their caches by it (LIF-331).
void controller_watch(struct mirror *mirror, const struct settings *settings,
                      enum kind_id node_class_kind);

// Registers its handlers with the mirror. Work queues up; none starts.
struct controller *controller_create(const struct controller_options *options);
// Starts the work: the lease is won, or there is none.
void controller_start(struct controller *controller);
// Takes no new work; `done` is called when the operations under way have ended, or after 30 s
// (LIF-474).
void controller_stop(struct controller *controller, void (*done)(void *context), void *context);
// At any time, also with calls under way. The cloud, the mirror and the client hold handlers and
// callbacks of the controller: they must be destroyed before the loop runs on.
void controller_destroy(struct controller *controller);
