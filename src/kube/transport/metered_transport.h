// A transport that counts the requests through another one and measures their duration:
// client_go_request_total and client_go_request_duration_seconds (LIF-358). It counts attempts, not
// calls of the client. A watch counts once, at its first event or its end, and has no duration.
#pragma once

#include "base/metrics.h"
#include "kube/transport/transport.h"

// Takes ownership of `inner`. The registry must outlive it; several may share one.
struct kube_transport *metered_transport_create(struct loop *loop, struct kube_transport *inner,
                                                struct metrics *metrics);
