// One node at a time, the best by net value first, and as many as have nothing to do with each
// other (DIS-746); a node may become two (DIS-745).
#pragma once

struct disruption;

void single_node_search_decide(struct disruption *disruption);
