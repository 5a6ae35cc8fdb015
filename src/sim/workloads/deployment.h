// Deployments: rolling updates and recreation over ReplicaSets (Kubernetes: Deployments).
#pragma once

#include "sim/workloads/workloads_internal.h"

void deployment_sync(void *workloads, const char *key);
