// Multi-node consolidation: several nodes for none, one or several (DIS-745, DIS-746, DIS-713).
#pragma once

struct disruption;

// Adds the candidate sets of greatest net value that a bounded number of simulations finds, as one
// or more commands; none unless some command has several candidates.
void multi_node_search_decide(struct disruption *disruption);
