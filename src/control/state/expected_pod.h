// Pods that a workload is about to create (workload_bursts.h). Snapshots hold them as made-up pods
// with a UID of their own form.
#pragma once

#include "model/schema/core.h"

#define EXPECTED_POD_UID "expected/" // how their UIDs begin

// The pod is one that a workload is about to create: it gets no events and no status yet.
bool pod_is_expected(const struct pod *pod);
// Its workload's UID.
const char *expected_pod_workload(const struct pod *pod);
