// Single-node consolidation: the best move by net value first, and as many independent ones as
// possible (DIS-746). One node may become two (DIS-745).
#pragma once

struct disruption;

void single_node_search_decide(struct disruption *disruption);
