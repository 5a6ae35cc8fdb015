// A kube_transport straight into the embedded API server, on the loop's (virtual) time: no sockets,
// no text. Each request takes effect and is answered after delays drawn from a seeded generator, so
// that requests under way at the same time overtake each other; and it may fail on purpose. The
// same seed and the same calls give the same run.
//
// What never happens, as it never does with a real API server: within one watch no event is lost,
// repeated or out of order. Watches of different kinds are delayed independently of each other, and
// a watch that is resumed or a list that is read again may show the same object twice.
#pragma once

#include "kube/transport/transport.h"
#include "sim/apiserver/api_server.h"

struct sim_faults { // probabilities, 0 to 1
    // Of each request that is not a watch:
    double internal_error;    // 500, not applied
    double too_many_requests; // 429 with Retry-After 1 s, not applied
    double conflict;          // 409 of an update or patch, not applied
    double lost_request;      // never arrives; the client's timeout ends it
    double lost_answer;       // is applied, but the client's timeout ends it
    double reset;             // connection lost at once; applied in half of the cases
    // Of each request that begins a watch, and of each event of one:
    double watch_refused; // 500
    double watch_dropped; // ends before the event, which is not lost: resuming brings it
    double watch_gap;     // ends with 410: list again
    double watch_stalled; // this and later events are held for watch_stall_ns
};

struct sim_transport_options {
    uint64_t seed;
    int64_t latency_min_ns, latency_max_ns;             // of a request, to the answer
    int64_t watch_latency_min_ns, watch_latency_max_ns; // of an event
    int64_t watch_stall_ns;                             // 0: 10 s
    int64_t request_timeout_ns; // what a request without an answer ends after; 0: 30 s
    struct sim_faults faults;
    // Targeted faults, asked before a request takes effect (watches too): true if *response, which
    // is zeroed before, is the answer (status and body, whose reference it takes; or an error with
    // status 0).
    bool (*fault)(void *context, const struct kube_request *request,
                  struct kube_response *response);
    // Asked after it took effect: true loses the answer.
    bool (*lose_answer)(void *context, const struct kube_request *request);
    void *fault_context;
};

// The server is borrowed and must outlive the transport.
struct kube_transport *sim_transport_create(struct loop *loop, struct api_server *server,
                                            const struct sim_transport_options *options);
// From now on (requests under way included, as far as they have not taken effect).
void sim_transport_set_faults(struct kube_transport *transport, const struct sim_faults *faults);
// Cuts the client off: its requests and their answers are lost, its watches are silent; when the
// connection is back, watches that missed something end as reset.
void sim_transport_cut(struct kube_transport *transport, bool cut);

struct sim_transport_statistics {
    uint64_t requests, watches, events, faults;
};
const struct sim_transport_statistics *sim_transport_statistics(
    const struct kube_transport *transport);
