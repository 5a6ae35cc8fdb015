// Interruptions: messages of the queue (AWI-500 to 571) and instance status checks (AWI-580 to
// 587), as reconcilers of the provider.
#pragma once

#include "cloud/aws/interruption/interruption_environment.h"
#include "reconcile/manager.h"

struct interruption;
struct interruption *interruption_create(struct manager *manager,
                                         const struct interruption_environment *environment);
// Why the NodeClaim drifts: its machine ends, and there is time (planned_ends.h). NULL: it does
// not.
const char *interruption_drift_reason(const struct interruption *interruption,
                                      const struct node_claim *claim);
void interruption_destroy(struct interruption *interruption); // NULL is fine
