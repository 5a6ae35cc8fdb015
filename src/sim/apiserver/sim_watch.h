// Watches of the simulated transport: events arrive late and in order, or, by its faults, not at
// all.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct kube_call;
struct random;

int64_t sim_draw_between(struct random *random, int64_t minimum, int64_t maximum);
void sim_watch_begin(struct kube_call *call);
// Delivers the events that are due. Returns true if the watch has ended; the caller must then
// finish the call. A handler may free the call; then it returns false.
bool sim_watch_deliver(struct kube_call *call);
void sim_watch_set_timer(struct kube_call *call); // to the first event, unless the network is cut
void sim_watch_drop_events(struct kube_call *call);
void sim_watch_reset(struct kube_call *call); // the connection broke
