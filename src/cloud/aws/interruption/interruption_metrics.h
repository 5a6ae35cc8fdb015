// Metrics of interruptions (AWI-710 to 713, 952).
#pragma once

#include "base/metrics.h"

// Of the core: NodeClaims deleted by a controller.
#define NODE_CLAIMS_DISRUPTED "karpenter_nodeclaims_disrupted_total"

struct interruption_metrics {
    struct metric *received, *deleted, *duration, *unhealthy, *unparsable;
};
void interruption_metrics_register(struct interruption_metrics *out, struct metrics *metrics);
