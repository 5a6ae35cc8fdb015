// Exhaustive search for a placement, on small instances (SCH-543).
#pragma once

#include "properties/cluster.h"

enum search_result { SEARCH_FOUND, SEARCH_NONE, SEARCH_GAVE_UP };

// Whether all the pods can be placed on the cluster's nodes and on nodes that its NodePools can
// launch within their limits, in some order in which every step passes the scheduler's filters.
// Gives up after a fixed number of steps. `found` receives the placement as text.
enum search_result search_placement(struct cluster *cluster, const struct pod *const *pods,
                                    uint32_t count, struct text *found);

// Capacity used by a pool's nodes of one of its limits: those of the snapshot and planned ones.
int64_t pool_use(const struct cluster *cluster, const struct node_pool *pool, const char *resource);
