// ReplicaSets: the desired number of pods (Kubernetes: ReplicaSet; Pod deletion cost).
#pragma once

#include "sim/workloads/workloads_internal.h"

void replica_set_sync(void *workloads, const char *key);
