// The instance types of a pool as a table, NodeOverlays applied (SCH-43, 48, 117, 118).
#pragma once

#include "engine/problem/problem.h"

// The pool's types as a table, NodeOverlays applied. NULL if there are none. Lives as long as the
// problem. Pools with the same types share a table, unless there are overlays.
struct type_table *instance_types_for_pool(struct problem *problem, const struct node_pool *pool);
