// Watches of the simulated transport: events that come late, in order, or, by its faults, not at
// all.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct kube_call;
struct random;

int64_t sim_draw_between(struct random *random, int64_t minimum, int64_t maximum);
void sim_watch_begin(struct kube_call *call);
// Hands over the events that are due. True: the watch has ended, and the call is to be finished.
// Any handler may free the call, and the answer is false then.
bool sim_watch_deliver(struct kube_call *call);
void sim_watch_set_timer(struct kube_call *call); // to the first event, unless the network is cut
void sim_watch_drop_events(struct kube_call *call);
void sim_watch_reset(struct kube_call *call); // the connection broke
