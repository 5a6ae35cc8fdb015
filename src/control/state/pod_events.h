// The controller nodeclaim.podevents (LIF-185, LIF-453): status.lastPodEventTime of a NodeClaim is
// the time of the last binding or end of a pod on its Node. The last event of a window counts;
// after a restart the pods' own times count.
#pragma once

#include "control/runtime/control.h"

struct pod_events *pod_events_create(struct control *control); // LIF-185
// The last pod event of a NodeClaim (LIF-185), written or not; wall clock, 0: none.
int64_t pod_events_last(const struct pod_events *events, const struct node_claim *claim);
// Registers its handlers; until then it may only be passed on.
void pod_events_observe(struct pod_events *events);
void pod_events_destroy(struct pod_events *events);
