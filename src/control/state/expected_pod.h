// Pods that a workload is about to create (workload_bursts.h), as snapshots have them: made up, and
// told from others by their UID.
#pragma once

#include "model/schema/core.h"

#define EXPECTED_POD_UID "expected/" // how their UIDs begin

// The pod is one that a workload is about to create: nothing can be told of it yet.
bool pod_is_expected(const struct pod *pod);
// Its workload's UID.
const char *expected_pod_workload(const struct pod *pod);
