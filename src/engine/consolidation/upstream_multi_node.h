// Upstream's multi-node consolidation: several nodes for none or one (DIS-200 to DIS-207).
#pragma once

struct disruption;

void upstream_multi_node_decide(struct disruption *disruption);
