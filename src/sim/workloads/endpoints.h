// EndpointSlices and Endpoints of Services that select pods (Kubernetes: Service; EndpointSlices).
// Only where the world has `comforts`: nothing here sends traffic to them.
#pragma once

#include "sim/workloads/workloads_internal.h"

// A work_function of the queue `endpoints`: "namespace/name" of a Service.
void endpoints_sync(void *workloads, const char *key);
// Queues the Services that select the pod.
void endpoints_pod_changed(struct workloads *workloads, const struct world_object *pod);
