// Upstream's single-node consolidation (DIS-210 to DIS-218).
#pragma once

struct disruption;

void upstream_single_node_decide(struct disruption *disruption);
