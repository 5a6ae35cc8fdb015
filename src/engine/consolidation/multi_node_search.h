// Several nodes at once, for nothing, for one or for several (DIS-745, DIS-746, DIS-713).
#pragma once

struct disruption;

// The candidate sets of greatest net value that a bounded number of simulations finds, as one or
// more commands in the plan; none unless some command has several candidates.
void multi_node_search_decide(struct disruption *disruption);
