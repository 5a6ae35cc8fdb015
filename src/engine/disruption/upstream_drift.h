// Upstream's drift of dynamic pools: one node, the first that can go (DIS-223).
#pragma once

struct disruption;

void upstream_drift_decide(struct disruption *disruption);
