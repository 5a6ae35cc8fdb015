// Nodes that do not take running pods yet: their own consolidateAfter has not passed without a pod
// event (DIS-238).
#pragma once

#include "engine/problem/problem.h"

// By index of the problem's nodes; in `arena`.
struct bitset quiet_nodes_find(const struct problem *problem, struct arena *arena);
