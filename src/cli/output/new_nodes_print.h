// The table of a plan's new nodes, on standard output.
#pragma once

#include "model/snapshot/plan.h"

// A line is one or more nodes that are alike, and their sums; where that is long, the nodes of a
// NodePool with the same cheapest type. The last line is the total. Nothing without new nodes.
void new_nodes_print(const struct plan *plan);
