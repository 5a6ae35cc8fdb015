// Delays and faults of the simulated transport, and its counts.
#pragma once

#include "kube/transport/transport.h"

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
    int64_t request_timeout_ns; // duration of a request without an answer; 0: 30 s
    struct sim_faults faults;
    // Targeted faults, called before a request (or a watch) takes effect: returns true if
    // *response, zeroed before, is the answer (status and body, whose reference it takes; or an
    // error with status 0).
    bool (*fault)(void *context, const struct kube_request *request,
                  struct kube_response *response);
    // Called after the effect: true loses the answer.
    bool (*lose_answer)(void *context, const struct kube_request *request);
    void *fault_context;
};

struct sim_transport_statistics {
    uint64_t requests, watches, events, faults;
};
