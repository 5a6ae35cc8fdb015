// Selects the pods to schedule and the bound pods of a snapshot (SCH-20 to SCH-24, SCH-35).
#pragma once

#include "engine/problem/problem.h"

// SCH-21 (FMT-3 without the controller's condition).
bool pod_is_provisionable(const struct snapshot *snapshot, const struct pod *pod);
