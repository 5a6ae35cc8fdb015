// A transport that counts the requests which go through another one, and how long they take:
// client_go_request_total and client_go_request_duration_seconds (LIF-358). Attempts count, not
// calls of the client; a watch counts once, when its first event or its end is there, and has no
// duration.
#pragma once

#include "base/metrics.h"
#include "kube/transport/transport.h"

// Takes ownership of `inner`. The registry must outlive it; several may share one.
struct kube_transport *metered_transport_create(struct loop *loop, struct kube_transport *inner,
                                                struct metrics *metrics);
