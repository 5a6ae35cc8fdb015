// Jobs: pods that run to completion (Kubernetes: Jobs). Ended pods are counted once, by their
// tracking finalizer.
#pragma once

#include "sim/workloads/workloads_internal.h"

void job_sync(void *workloads, const char *key);
