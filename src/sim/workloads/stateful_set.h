// StatefulSets: numbered pods with claims of their own (Kubernetes: StatefulSets). Claims stay when
// pods go.
#pragma once

#include "sim/workloads/workloads_internal.h"

void stateful_set_sync(void *workloads, const char *key);
