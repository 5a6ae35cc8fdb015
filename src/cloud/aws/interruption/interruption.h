// Interruptions: messages of the queue (AWI-500 to 571) and instance status checks (AWI-580 to
// 587), as reconcilers of the provider.
#pragma once

#include "cloud/aws/interruption/interruption_environment.h"
#include "reconcile/manager.h"

struct interruption;
struct interruption *interruption_create(struct manager *manager,
                                         const struct interruption_environment *environment);
void interruption_destroy(struct interruption *interruption); // NULL is fine
