// A kube_transport straight into the embedded API server, on the loop's (virtual) time: no sockets,
// no text. Each request takes effect and is answered after delays from a seeded generator, so
// concurrent requests overtake each other; it may also fail on purpose. The same seed and the same
// calls give the same run.
//
// As with a real API server, a watch never loses, repeats or reorders events. Watches of different
// kinds are delayed independently of each other. A resumed watch or a repeated list may show the
// same object twice.
#pragma once

#include "sim/apiserver/api_server.h"
#include "sim/apiserver/sim_faults.h"

// The server is borrowed and must outlive the transport.
struct kube_transport *sim_transport_create(struct loop *loop, struct api_server *server,
                                            const struct sim_transport_options *options);
// Applies from now on, also to requests under way that have not taken effect.
void sim_transport_set_faults(struct kube_transport *transport, const struct sim_faults *faults);
// Cuts the client off: its requests and their answers are lost, its watches are silent; when the
// connection is back, watches that missed something end as reset.
void sim_transport_cut(struct kube_transport *transport, bool cut);

const struct sim_transport_statistics *sim_transport_statistics(
    const struct kube_transport *transport);
