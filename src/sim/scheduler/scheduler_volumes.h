// Volumes: binding, node affinity, zones and attach limits (Kubernetes: Persistent Volumes; Storage
// Classes; Node-specific Volume Limits).
#pragma once

#include "sim/scheduler/scheduler_internal.h"

void volumes_prepare(struct filter_state *state);
bool volumes_filter(const struct filter_state *state, const struct filter_node *node,
                    struct filter_tally *tally);
// Claims that get their volume only with the pod's node (WaitForFirstConsumer).
uint32_t filter_delayed_claims(const struct filter_state *state,
                               const struct persistent_volume_claim *const **claims);
