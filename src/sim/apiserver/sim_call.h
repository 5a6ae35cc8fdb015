// A call of the simulated transport, from its start to its answer or to the end of the watch. For
// sim_transport.c and sim_watch.c.
#pragma once

#include <sys/queue.h>

#include "base/random.h"
#include "sim/apiserver/sim_faults.h"

enum fate { // of a request, drawn when it starts
    FATE_NORMAL,
    FATE_INTERNAL_ERROR,
    FATE_TOO_MANY_REQUESTS,
    FATE_CONFLICT,
    FATE_LOST_REQUEST,
    FATE_LOST_ANSWER,
    FATE_RESET_BEFORE,
    FATE_RESET_AFTER,
    FATE_WATCH_REFUSED,
};
enum stage { STAGE_UNDERWAY, STAGE_ANSWERED, STAGE_WATCHING, STAGE_ENDING };

struct queued_event {
    STAILQ_ENTRY(queued_event) link;
    int64_t due_ns; // monotonic
    json_t *event;  // NULL: the end of the watch, with the call's `error`
};

struct kube_call {
    TAILQ_ENTRY(kube_call) link;
    struct sim_transport *transport;
    enum kube_verb verb;
    enum patch_type patch_type;
    char *path, *query;
    json_t *request_body;
    struct kube_handlers handlers;
    enum fate fate;
    enum stage stage;
    int64_t latency_ns, answer_ns; // the whole, and its rest after the effect
    struct timer *timer;
    // The answer, held until it arrives.
    int status;
    json_t *body;
    struct error error;
    int64_t retry_after_ns;
    // Watches.
    struct api_watch *watch;
    STAILQ_HEAD(, queued_event) events;
    int64_t last_due_ns, stalled_until_ns;
    bool missed_event; // while cut off
    bool *gone;        // set when the call is freed while a handler runs
};

struct sim_transport {
    struct kube_transport base;
    struct loop *loop;
    struct api_server *server;
    struct sim_transport_options options;
    struct random random;
    bool cut;
    struct sim_transport_statistics statistics;
    TAILQ_HEAD(, kube_call) calls;
};
