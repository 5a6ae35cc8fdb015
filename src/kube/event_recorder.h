// Kubernetes events with dedupe windows and rate limits (LIF-370).
#pragma once

#include "kube/client.h"

struct event_recorder;
struct event_recorder *event_recorder_create(struct loop *loop, struct kube_client *client,
                                             const char *component);
void event_recorder_destroy(struct event_recorder *recorder);

struct event_request {
    const struct object *about; // involvedObject from its header
    bool warning;
    const char *reason, *message;
    const char *dedupe; // dedupe values beside the object, joined by '-'; NULL: message (LIF-459)
    int64_t window_ns;  // above 0
    double rate_per_second; // 0: unlimited; else with `burst`, one limiter a reason
    double burst;
};
// Returns false if the same event was recorded within its window.
bool event_record(struct event_recorder *recorder, const struct event_request *request);
