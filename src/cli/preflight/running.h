// The Karpenter that runs in a cluster: its settings, for adze as they are (MIG-64), its lease, and
// other autoscalers beside it (MIG-121).
#pragma once

#include "cli/preflight/facts.h"
#include "cli/preflight/report.h"
#include "model/reading/settings.h"

// Takes over into `settings` what the running Karpenter has. `now`: 0 if the time of the input is
// unknown; a lease then counts as held.
void check_running(const struct facts *facts, struct settings *settings, int64_t now,
                   struct preflight_report *report);
