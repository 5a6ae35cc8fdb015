// Checks of a cluster's API before a swap (MIG-55, MIG-130): CRDs, stored versions, conversion
// webhooks, left-overs of older versions, the version of Kubernetes.
#pragma once

#include "cli/preflight/facts.h"
#include "cli/preflight/report.h"

void check_definitions(const struct facts *facts, struct preflight_report *report);
