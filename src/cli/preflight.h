// The checks of `adze preflight`, for the controller that is about to run (MIG-130).
#pragma once

#include "kube/transport/kube_choice.h"
#include "model/reading/settings.h"

// Examines the live cluster with the controller's own rights and settings, and prints the report.
// Returns the exit code: 0 nothing failed, 1 a check failed, 2 the cluster cannot be examined.
int preflight_for_controller(const struct kube_choice *cluster, const struct settings *settings);
