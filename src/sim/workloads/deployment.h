// Deployments: rolling updates and recreation over ReplicaSets (Kubernetes: Deployments).
#pragma once

#include "sim/workloads/workloads.h"

void deployment_sync(void *workloads, const char *key);
