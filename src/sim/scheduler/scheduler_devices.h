// Claims of devices (Kubernetes: Dynamic Resource Allocation): kube-scheduler's plugin
// DynamicResources. It allocates depth first, as documented for resource.k8s.io/v1.
//
// Left out: devices that several claims may have at once (allowMultipleAllocations), binding
// conditions, resources that a DeviceClass names (extendedResourceName).
#pragma once

#include <jansson.h>

#include "sim/scheduler/scheduler_internal.h"

void devices_prepare(struct filter_state *state);
bool devices_filter(const struct filter_state *state, const struct filter_node *node,
                    struct filter_tally *tally);
// Frees what is not of the state's arena.
void devices_release(struct filter_state *state);

// The writes that bring the pod onto the node: [{key, status}] of its claims. The caller owns it;
// NULL: the pod has none.
json_t *filter_claim_statuses(struct filter_state *state, uint32_t node);
// Those that give up allocations that no other pod has, so that the next attempt can choose anew.
json_t *filter_claim_releases(const struct filter_state *state);
