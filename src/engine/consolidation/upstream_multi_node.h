// Several nodes at once, for nothing or for one, as upstream looks for them (DIS-200 to DIS-207).
#pragma once

struct disruption;

void upstream_multi_node_decide(struct disruption *disruption);
