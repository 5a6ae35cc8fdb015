// A pod's requests, resource by resource (Kubernetes: Resource Management for Pods and Containers;
// Sidecar Containers; Pod Overhead; Pod-level resources; Resize CPU and Memory).
#pragma once

#include "sim/scheduler/scheduler_internal.h"

// Requests as the kubelet and the scheduler count them: init containers, sidecars, overhead,
// pod-level resources, resizes under way. Returns an allocated array of *count entries, none of
// them zero, without `pods`.
struct filter_request *filter_pod_requests(struct filter_cluster *cluster, const struct pod *pod,
                                           uint32_t *count);
void filter_pod_scored(struct filter_cluster *cluster, const struct filter_pod *pod,
                       int64_t scored[SCORED_RESOURCES]);
